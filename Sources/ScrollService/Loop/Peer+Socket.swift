// Asks the kernel who is at the other end of a connection.

import Platform

extension Peer {
  /// The peer of a connected Unix socket, by SO_PEERCRED and SO_PEERGROUPS (unix(7)).
  ///
  /// - Throws: ``SystemError`` when the kernel doesn't say.
  init(socket: Int32) throws(SystemError) {
    let (user, groups) = try SystemError.wrapping("ask for the credentials of", "a peer") { () throws(Errno) in
      try BorrowedDescriptor(socket).peerCredentials()
    }
    self.init(user: user, groups: groups)
  }
}
