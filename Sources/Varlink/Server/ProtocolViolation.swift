import JSON

/// A violation of the protocol by a peer. It ends the connection, without a reply.
public enum ProtocolViolation: Error, Equatable, Sendable, CustomStringConvertible {
  /// A message without any bytes.
  case emptyMessage
  /// A message that is longer than the limit, in bytes.
  case messageTooLong(limit: Int)
  case notJSON(JSONError)
  case notAnObject
  /// A member of the wrong type.
  case wrongType(member: String)
  /// An unknown member whose name has no dot.
  case unknownMember(String)
  case methodMissing
  /// More than one of `oneway`, `more` and `upgrade` is true.
  case conflictingFlags
  /// The peer closed its side in the middle of a message.
  case messageCutOff
  /// A reply arrived, but no call awaits one.
  case replyNotAwaited
  /// A reply has `continues`, but the call did not have `more` or the reply is an error.
  case unexpectedContinues

  /// A noun phrase for messages: `a message longer than 16777216 bytes`.
  public var description: String {
    switch self {
    case .emptyMessage: "an empty message"
    case .messageTooLong(let limit): "a message longer than \(limit) bytes"
    case .notJSON(let error): "a message that is not JSON: \(error)"
    case .notAnObject: "a message that is not an object"
    case .wrongType(let member): "a message whose \"\(member)\" has the wrong type"
    case .unknownMember(let member): "a message with the unknown member \"\(member)\""
    case .methodMissing: "a call without a method"
    case .conflictingFlags: "a call with more than one of oneway, more and upgrade"
    case .messageCutOff: "an incomplete message"
    case .replyNotAwaited: "a reply without a call"
    case .unexpectedContinues: "a reply with an unexpected \"continues\""
    }
  }
}
