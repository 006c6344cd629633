// A call that a test made, and the replies that came.

/// A call that a test made, and the replies that came so far.
final class TestCall {
  let method: String
  /// The parameters of the replies that were no errors, in order.
  private(set) var replies: [JSONTree] = []
  /// The error that ended the call.
  private(set) var error: CallError?
  /// The last reply has come.
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

  /// Takes the replies that came since the last time.
  func take() -> [JSONTree] {
    defer { replies = [] }
    return replies
  }

  /// The one answer that there is.
  func answer() throws -> JSONTree {
    if let error { throw error }
    guard hasEnded, replies.count == 1 else { throw CallError("NoAnswer", ["replies": .array(replies)]) }
    return replies[0]
  }

  /// Of replies with this member its values, in order.
  func values(_ name: String) -> [JSONTree] { replies.map { $0[name] }.filter { $0 != .null } }
}
