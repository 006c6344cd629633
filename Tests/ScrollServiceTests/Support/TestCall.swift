/// A call, and the replies so far.
final class TestCall {
  let method: String
  /// The parameters of the replies, without errors, in order.
  private(set) var replies: [JSONTree] = []
  /// The error that ended the call.
  private(set) var error: CallError?
  /// Whether the last reply has arrived.
  private(set) var hasEnded = false

  init(_ method: String) { self.method = method }

  func receive(_ parameters: JSONTree, error: String?, continues: Bool) {
    if let error {
      self.error = CallError(error.split(separator: ".").last.map(String.init) ?? error, parameters)
    } else {
      replies.append(parameters)
    }
    hasEnded = !continues
  }

  /// Removes and returns the replies since the last call.
  func take() -> [JSONTree] {
    defer { replies = [] }
    return replies
  }

  /// The only answer.
  func answer() throws -> JSONTree {
    if let error { throw error }
    guard hasEnded, replies.count == 1 else { throw CallError("NoAnswer", ["replies": .array(replies)]) }
    return replies[0]
  }

  /// The values of a member, of the replies that have it, in order.
  func values(_ name: String) -> [JSONTree] { replies.map { $0[name] }.filter { $0 != .null } }
}
