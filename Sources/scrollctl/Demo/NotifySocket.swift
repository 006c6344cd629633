// Where a daemon tells its starter that it serves.

import Glibc
import ScrollService

/// Where a daemon tells its starter that it serves, by sd_notify(3): a datagram socket at a path.
struct NotifySocket: ~Copyable {
  let path: String
  let descriptor: Int32

  init(path: String) throws(SystemError) {
    self.path = path
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_UNIX, type, 0)
    if descriptor < 0 { throw .last("make a socket at", path) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    if !fits { throw SystemError("make a socket at", path, code: ENAMETOOLONG) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if bound != 0 { throw .last("make a socket at", path) }
  }

  deinit { close(descriptor) }

  /// Takes the messages that have come, and says whether one tells that the daemon serves.
  func takeReady() -> Bool {
    var isReady = false
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &room, room.count, 0)
      if count < 0 { return isReady }
      let lines = String(decoding: room[..<count], as: UTF8.self).split(separator: "\n")
      if lines.contains("READY=1") { isReady = true }
    }
  }
}
