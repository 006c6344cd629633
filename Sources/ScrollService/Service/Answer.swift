// An answer that waits for its block.

import ScrollModel
import Varlink

/// An answer that is given once its block is on disk, or written where that is enough.
struct Answer {
  enum Kind {
    case append(position: Position, nextNumber: Int64)
    case open(SessionID, nextNumber: Int64)
    case close
    case respond
    case scroll(position: Position)
    /// To `Sync`.
    case sync
  }

  var connection: Connection.ID
  var token: CallToken
  var kind: Kind

  /// The error when there was no space for the block.
  var noSpace: VarlinkError {
    switch kind {
    case .scroll: ServiceError.observerNoSpace
    default: ServiceError.recorderNoSpace
    }
  }
}
