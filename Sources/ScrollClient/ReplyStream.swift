// The replies to a call that gets many.

import JSON

/// The replies to a call that gets many, taken one by one.
public final class ReplyStream<Element> {
  /// What asking for the next reply came to.
  public enum Next {
    /// A reply.
    case reply(Element)
    /// No reply came in time; there may be more.
    case nothingYet
    /// There are no more.
    case ended
  }

  private let connection: ServiceConnection
  private let decode: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Element
  private var hasEnded = false

  init(
    _ connection: ServiceConnection, _ method: String, _ members: (inout JSONWriter) -> Void,
    _ decode: @escaping (ReplyMembers) throws(ReplyMembers.Unexpected) -> Element
  ) throws(ServiceError) {
    self.connection = connection
    self.decode = decode
    try connection.send(method, mode: .more, members)
  }

  /// The connection's socket, to wait for together with others by poll(2), once ``next(timeout:)`` had nothing yet.
  public var descriptor: Int32 { connection.descriptor }

  /// Waits for the next reply.
  ///
  /// - Parameter timeout: How long to wait; forever when `nil`.
  /// - Throws: ``ServiceError``, after which there is nothing more to come.
  public func next(timeout: Duration? = nil) throws(ServiceError) -> Next {
    if hasEnded { return .ended }
    switch try connection.receive(timeout: timeout, decode) {
    case .nothingYet: return .nothingYet
    case .reply(let element, let continues):
      hasEnded = !continues
      return .reply(element)
    }
  }
}
