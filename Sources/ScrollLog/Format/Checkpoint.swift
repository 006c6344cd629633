import ScrollModel

/// The open sessions at a position, with everything needed to continue the fold from there.
public struct Checkpoint: Equatable, Sendable {
  /// One open session.
  struct Session: Equatable, Sendable {
    var id: SessionID
    var opening: Opening
    var openedPosition: Position
    var openedReceived: Int64
    var lastPosition: Position
    var lastReceived: Int64
    var nextNumber: Int64
    var state: FoldState
    /// What the session comes to; `nil` when nobody measured its first events.
    var measures: SessionMeasures?
    /// What last turned its toolbar; `nil` when nothing has, or when that is unknown. Nothing without measures has one.
    var turn: Turn?
    var newestRuns: [Run]
  }

  /// Events of one session with consecutive numbers at consecutive positions.
  struct Run: Equatable, Sendable {
    var firstNumber: Int64
    var firstPosition: Position
    var count: Int64
  }

  /// The last position that is folded into it; 0 at the start of a log.
  public internal(set) var position: Position
  /// When the daemon received the record at the position, microseconds since the Unix epoch; 0 at the start of a log.
  public internal(set) var received: Int64
  /// The version of the fold that computed the states.
  public internal(set) var foldVersion: UInt32
  /// The open sessions in the order of their opening.
  var sessions: [Session]

  /// The checkpoint at the start of a log.
  static let empty = Checkpoint(position: 0, received: 0, foldVersion: Policy.foldVersion, sessions: [])
}
