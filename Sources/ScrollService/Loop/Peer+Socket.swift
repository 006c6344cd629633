// Asks the kernel who is at the other end of a connection.

import Glibc

extension Peer {
  /// The peer of a connected Unix socket, by SO_PEERCRED and SO_PEERGROUPS (unix(7)).
  ///
  /// - Throws: ``SystemError`` when the kernel doesn't say.
  init(socket: Int32) throws(SystemError) {
    // struct ucred, which the C library declares for _GNU_SOURCE only: process, user, group.
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      throw .last("ask for the credentials of", "a peer")
    }
    var groups = [UInt32](repeating: 0, count: 64)
    while true {
      length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
      if getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 { break }
      guard errno == ERANGE else { throw .last("ask for the groups of", "a peer") }
      groups = [UInt32](repeating: 0, count: Int(length) / MemoryLayout<UInt32>.stride)
    }
    let supplementary = groups.prefix(Int(length) / MemoryLayout<UInt32>.stride)
    self.init(user: credentials.uid, groups: [credentials.gid] + supplementary)
  }
}
