import Platform

extension Peer {
  /// Reads the peer of a connected Unix socket, by SO_PEERCRED and SO_PEERGROUPS (unix(7)).
  ///
  /// - Throws: ``SystemError`` when the kernel does not report it.
  init(socket: Int32) throws(SystemError) {
    let (user, groups) = try SystemError.wrapping("ask for the credentials of", "a peer") { () throws(Errno) in
      try BorrowedDescriptor(socket).peerCredentials()
    }
    self.init(user: user, groups: groups)
  }
}
