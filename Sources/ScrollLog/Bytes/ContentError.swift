import ScrollModel

/// Why bytes with a right checksum make no sense: a newer or a faulty program wrote them.
public enum ContentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A value extends beyond the end of the block.
  case endsEarly
  /// No entry has this tag.
  case unknownTag(UInt8)
  /// A field has a value that it cannot have.
  case badValue(field: String, value: UInt64)
  /// A string is not UTF-8.
  case notUTF8(field: String)
  /// A policy names an unknown rule or parameter, or gives a parameter a value that it cannot have.
  case badPolicy(Policy.ParameterError)
  /// A block does not hold as many records as its header says.
  case recordCount(header: Int, found: Int)
  /// A block does not begin where the previous one ended.
  case positionGap(expected: Position, found: Position)
  /// A record belongs to a session that is not open.
  case sessionNotOpen(SessionID, Position)
  /// A session is opened although it, or another session of its client, is already open.
  case alreadyOpen(SessionID, Position)
  /// An event's number does not follow the previous one in its session.
  case numberGap(SessionID, expected: Int64, found: Int64)
  /// A checkpoint has no head or two heads, the wrong number of sessions, or a session or client twice.
  case badCheckpoint
  /// A checkpoint within a packed segment differs from what the records before it fold to.
  case differingCheckpoint(Position)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .endsEarly: "an entry extends beyond the end of its block"
    case .unknownTag(let tag): "unknown entry tag \(tag)"
    case .badValue(let field, let value): "\(field) cannot be \(value)"
    case .notUTF8(let field): "\(field) is not UTF-8"
    case .badPolicy(let error): "\(error)"
    case .recordCount(let header, let found): "the block holds \(found) records, but its header says \(header)"
    case .positionGap(let expected, let found): "found position \(found) instead of \(expected)"
    case .sessionNotOpen(let session, let position):
      "position \(position) belongs to session \(session), which is not open"
    case .alreadyOpen(let session, let position):
      "position \(position) opens session \(session), but it, or another session of its client, is already open"
    case .numberGap(let session, let expected, let found):
      "an event of session \(session) has number \(found) instead of \(expected)"
    case .badCheckpoint: "the checkpoint is incomplete, or holds something twice"
    case .differingCheckpoint(let position):
      "the checkpoint differs from what the records up to position \(position) fold to"
    }
  }
}
