import ScrollModel

/// What is wrong with bytes whose checksum is right: they were written so, by a newer or a faulty program.
public enum ContentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A value reaches beyond the end of the block.
  case endsEarly
  /// No entry begins with this tag.
  case unknownTag(UInt8)
  /// A field has a value that it cannot have.
  case badValue(field: String, value: UInt64)
  /// A text is not UTF-8.
  case notUTF8(field: String)
  /// A policy names a rule or a parameter that doesn't exist, or gives it a value that it cannot have.
  case badPolicy(Policy.ParameterError)
  /// A block holds another number of records than its header says.
  case recordCount(header: Int, found: Int)
  /// A block doesn't begin where the one before ended.
  case positionGap(expected: Position, found: Position)
  /// A record belongs to a session that is not open.
  case sessionNotOpen(SessionID, Position)
  /// A session, or one of its client, is opened that is open already.
  case alreadyOpen(SessionID, Position)
  /// An event has not the number that follows in its session.
  case numberGap(SessionID, expected: Int64, found: Int64)
  /// A checkpoint has no head, two of them, another number of sessions than its head says, or a session or client twice.
  case badCheckpoint
  /// A checkpoint within a packed segment is not what the records before it fold to.
  case differingCheckpoint(Position)

  /// The text that people read.
  public var description: String {
    switch self {
    case .endsEarly: "an entry reaches beyond the end of its block"
    case .unknownTag(let tag): "there is no entry with the tag \(tag)"
    case .badValue(let field, let value): "\(field) cannot be \(value)"
    case .notUTF8(let field): "\(field) is not UTF-8"
    case .badPolicy(let error): "\(error)"
    case .recordCount(let header, let found): "the block's header counts \(header) records, the block holds \(found)"
    case .positionGap(let expected, let found): "position \(found) stands where \(expected) should"
    case .sessionNotOpen(let session, let position):
      "position \(position) belongs to session \(session), which is not open"
    case .alreadyOpen(let session, let position):
      "position \(position) opens session \(session), but it or its client is open already"
    case .numberGap(let session, let expected, let found):
      "an event of session \(session) has the number \(found), not \(expected)"
    case .badCheckpoint: "the checkpoint is incomplete, or holds something twice"
    case .differingCheckpoint(let position): "the checkpoint is not what the records up to position \(position) fold to"
    }
  }
}
