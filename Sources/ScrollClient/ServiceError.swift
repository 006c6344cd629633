import Platform

/// Why a call to the daemon failed.
public enum ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Connecting failed: nobody listens, the socket does not exist, or the caller may not use it. `code` is the errno.
  case cannotConnect(ServiceAddress, code: Int32)
  /// The address is longer than a socket's address can be.
  case addressTooLong(ServiceAddress)
  /// The connection ended or broke. The daemon may or may not have carried out calls that have no reply.
  case connectionLost(ServiceAddress, reason: String)
  /// No reply came in time.
  case timedOut(ServiceAddress)
  /// A reply does not follow the interface.
  case unexpectedReply(ServiceAddress, what: String)
  /// The daemon refused the call.
  case refused(ServiceRefusal)

  /// The error as a message.
  public var description: String {
    switch self {
    case .cannotConnect(let address, let code): "cannot connect to \(address): \(Errno(rawValue: code))"
    case .addressTooLong(let address): "cannot connect to \(address): the path is too long for a socket's address"
    case .connectionLost(let address, let reason): "lost the connection to \(address): \(reason)"
    case .timedOut(let address): "no reply from \(address) in time"
    case .unexpectedReply(let address, let what): "unexpected reply from \(address): \(what)"
    case .refused(let refusal): refusal.description
    }
  }

  /// Why the daemon refused the call; `nil` when something else went wrong.
  public var refusal: ServiceRefusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }
}
