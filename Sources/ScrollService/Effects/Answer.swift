import JSON
import ScrollModel
import Varlink

/// A call that waits for its answer.
struct Caller {
  let connection: ConnectionID
  let token: CallToken
}

/// The answer to a call that was accepted.
struct Answer {
  enum Content {
    /// To `Append`: the last event's position, and the number that the next event gets.
    case appended(position: Position, nextNumber: Int64)
    /// To `Open` and `Import`.
    case opened(SessionID, nextNumber: Int64)
    /// To calls that return nothing.
    case done
    /// To `Scroll`: the request's position.
    case requested(Position)
    /// To `Sync`: the last position that survives a power loss.
    case synced(Position)
    /// To `Forget`.
    case forgotten(records: Int64)
    /// To `Vacuum`.
    case vacuumed(firstPosition: Position, freed: Int64)
  }

  var caller: Caller
  var content: Content

  /// The error instead of the answer when the disk has no space for the records.
  var noSpace: VarlinkError {
    if case .requested = content { ServiceError.observerNoSpace } else { ServiceError.recorderNoSpace }
  }
}

/// What all answers about records have in common.
struct AnswerTerms {
  /// The generation that positions belong to.
  let generation: Int64
  /// Whether records are synced before their calls are answered.
  let isDurable: Bool
}
