// What a peer did that ends its connection.

import JSON

/// What a peer did against the protocol. Its connection is closed without a reply to it.
public enum ProtocolViolation: Error, Equatable, Sendable, CustomStringConvertible {
  /// A message of no bytes.
  case emptyMessage
  /// A message longer than the limit, in bytes.
  case messageTooLong(limit: Int)
  case notJSON(JSONError)
  case notAnObject
  /// A member that is of the wrong type.
  case wrongType(member: String)
  /// A member that the protocol doesn't know, with no dot in its name.
  case unknownMember(String)
  case methodMissing
  /// More than one of `oneway`, `more` and `upgrade` is true.
  case conflictingFlags
  /// The peer ended its side in the middle of a message.
  case messageCutOff
  /// A reply came, but no call awaits one.
  case replyNotAwaited
  /// A reply continues though the call had no `more`, or though it is an error.
  case unexpectedContinues

  /// The text for people: `a message longer than 16777216 bytes`.
  public var description: String {
    switch self {
    case .emptyMessage: "an empty message"
    case .messageTooLong(let limit): "a message longer than \(limit) bytes"
    case .notJSON(let error): "a message that is no JSON: \(error)"
    case .notAnObject: "a message that is no object"
    case .wrongType(let member): "a message whose \"\(member)\" is of the wrong type"
    case .unknownMember(let member): "a message with an unknown member \"\(member)\""
    case .methodMissing: "a call without a method"
    case .conflictingFlags: "a call with more than one of oneway, more and upgrade"
    case .messageCutOff: "the end of the stream inside a message"
    case .replyNotAwaited: "a reply to no call"
    case .unexpectedContinues: "a reply that continues though it may not"
    }
  }
}
