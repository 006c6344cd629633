// Why a call to the daemon came to nothing.

import Glibc

/// Why a call to the daemon came to nothing.
public enum ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no connection: nobody listens, or the socket's file isn't there or may not be used. `code` is the errno.
  case cannotConnect(ServiceAddress, code: Int32)
  /// The address is longer than a socket's can be.
  case addressTooLong(ServiceAddress)
  /// The connection ended or broke. What was sent and not answered may or may not have been done.
  case connectionLost(ServiceAddress, reason: String)
  /// No reply came in time.
  case timedOut(ServiceAddress)
  /// A reply is not what the interface says.
  case unexpectedReply(ServiceAddress, what: String)
  /// The daemon refused the call, and says why.
  case refused(ServiceRefusal)

  /// The text for people.
  public var description: String {
    switch self {
    case .cannotConnect(let address, let code): "cannot connect to \(address): \(String(cString: strerror(code)))"
    case .addressTooLong(let address): "cannot connect to \(address): the path is too long for a socket's address"
    case .connectionLost(let address, let reason): "the connection to \(address) is lost: \(reason)"
    case .timedOut(let address): "no reply from \(address) in time"
    case .unexpectedReply(let address, let what): "a reply from \(address) is not understood: \(what)"
    case .refused(let refusal): refusal.description
    }
  }

  /// What the daemon refused the call with; `nil` when it did not get so far.
  public var refusal: ServiceRefusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }
}
