import Platform

/// The datagram socket on which a started daemon reports that it serves (sd_notify(3)).
struct NotifySocket: ~Copyable {
  let path: String
  private let socket: FileDescriptor

  init(path: String) throws(SystemError) {
    // Swift 6.0 can't undo a half-made value.
    let socket = try SystemError.wrapping("make a socket at", path) { () throws(Errno) in
      let socket = try FileDescriptor(socket: .datagram, isNonBlocking: true)
      try socket.borrowed.bind(to: .path(path))
      return socket
    }
    self.path = path
    self.socket = socket
  }

  var borrowed: BorrowedDescriptor { socket.borrowed }

  /// Takes the messages that have come.
  ///
  /// - Returns: Whether one reports that the daemon serves.
  func takeReady() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
      var isReady = false
      while let count = try? socket.borrowed.receive(into: room) {
        let lines = String(decoding: room[..<count], as: UTF8.self).split(separator: "\n")
        if lines.contains("READY=1") { isReady = true }
      }
      return isReady
    }
  }
}
