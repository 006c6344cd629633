import Platform

/// A failure of a socket: `connecting to unix:/run/example/socket: Connection refused`.
public enum SocketError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A system call failed during the operation that `doing` names, such as `connecting to`.
  case failed(doing: String, address: String, Errno)
  /// The path or name is too long for a socket's address.
  case addressTooLong(address: String)
  /// The peer closed the connection while a call awaited a reply.
  case closedByPeer(address: String)

  /// A message that names the address.
  public var description: String {
    switch self {
    case .failed(let doing, let address, let errno): "\(doing) \(address): \(errno)"
    case .addressTooLong(let address): "\(address): too long for a socket's address"
    case .closedByPeer(let address): "\(address): the service closed the connection"
    }
  }
}
