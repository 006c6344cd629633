import JSON
import Platform
import Varlink

/// A listener on a Unix socket, which serves one connection at a time, forever.
struct CertificationListener: ~Copyable {
  private let socket: FileDescriptor

  /// Listens at a path where no file exists.
  init(path: String) throws(Errno) {
    let socket = try FileDescriptor(socket: .stream)
    try socket.borrowed.bind(to: .path(path))
    try socket.borrowed.listen(backlog: 8)
    self.socket = socket
  }

  func serve(_ service: CertificationService) throws(Errno) -> Never {
    while true {
      let peer = FileDescriptor(try socket.borrowed.accept())
      serve(service, peer.borrowed)
    }
  }

  /// Serves one connection until it is finished.
  private func serve(_ service: CertificationService, _ peer: BorrowedDescriptor) {
    let connection = ServerConnection()
    let parser = JSONParser()
    func answer(_ call: Call) throws(VarlinkError) -> NextCall {
      try service.answer(call, on: connection)
    }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
    defer { room.deallocate() }
    while !connection.isFinished {
      if let received = try? peer.receive(into: room), received > 0 {
        connection.receive(UnsafeRawBufferPointer(rebasing: room[..<received]))
      } else {
        connection.receiveEnd()
      }
      while connection.nextCall(using: parser, answer) {}
      while connection.outputCount > 0 {
        guard let sent = try? connection.withUnsafeOutput({ try peer.send($0) }) else { return }
        connection.consumeOutput(sent)
      }
    }
  }
}
