// Why talking over a socket failed.

import Glibc

/// What went wrong with a socket: `connecting to unix:/run/example/socket: Connection refused`.
public enum SocketError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A system call failed while doing what `doing` says (`connecting`), with that errno.
  case failed(doing: String, address: String, errno: Int32)
  /// A path or name is longer than a socket's address can be.
  case addressTooLong(address: String)
  /// The peer closed the connection while a reply was awaited.
  case closedByPeer(address: String)

  /// The text for people, with the address in it.
  public var description: String {
    switch self {
    case .failed(let doing, let address, let errno): "\(doing) \(address): \(String(cString: strerror(errno)))"
    case .addressTooLong(let address): "\(address): too long for a socket's address"
    case .closedByPeer(let address): "\(address): the service closed the connection"
    }
  }
}
