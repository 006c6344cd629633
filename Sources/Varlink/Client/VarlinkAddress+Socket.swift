// Connecting to an address.

import Glibc

extension VarlinkAddress {
  /// Opens a stream socket that is connected to this address, and closed on exec.
  func connectedSocket() throws(SocketError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw .failed(doing: "opening a socket for", address: description, errno: errno)
    }
    do throws(SocketError) {
      var (address, length) = try socketAddress()
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          // A connect to a Unix socket that a signal interrupted has not begun.
          repeat {
            if connect(descriptor, address, length) == 0 { return true }
          } while errno == EINTR
          return false
        }
      }
      guard isConnected else {
        throw .failed(doing: "connecting to", address: description, errno: errno)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The address as the kernel takes it, and its length.
  private func socketAddress() throws(SocketError) -> (sockaddr_un, socklen_t) {
    let name: [UInt8] =
      switch self {
      // The NUL behind a path is part of the address, the one before an abstract name its mark.
      case .path(let path): Array(path.utf8) + [0]
      case .abstract(let name): [0] + Array(name.utf8)
      }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { path in
      guard name.count <= path.count else { return true }
      path.copyBytes(from: name)
      return false
    }
    if isTooLong { throw .addressTooLong(address: description) }
    let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
    return (address, socklen_t(offset + name.count))
  }
}
