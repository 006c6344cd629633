// The socket that certification clients connect to.

import Glibc
import JSON
import Varlink

/// Serves one connection after the other on a Unix socket, forever.
struct CertificationListener {
  /// A system call that failed.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let errno: Int32

    var description: String { "\(call): \(String(cString: strerror(errno)))" }
  }

  private let descriptor: Int32

  /// Listens at a path, where nothing may be yet.
  init(path: String) throws(Failure) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", errno: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.utf8.count < room.count else { return true }
      room.copyBytes(from: path.utf8)
      return false
    }
    guard !isTooLong else { throw Failure(call: "bind", errno: ENAMETOOLONG) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw Failure(call: "bind", errno: errno) }
    guard listen(descriptor, 8) == 0 else { throw Failure(call: "listen", errno: errno) }
  }

  func serve(_ service: CertificationService) throws(Failure) -> Never {
    while true {
      let peer = accept(descriptor, nil, nil)
      guard peer >= 0 else { throw Failure(call: "accept", errno: errno) }
      serve(service, peer)
      close(peer)
    }
  }

  /// Serves one connection until it has come to its end.
  private func serve(_ service: CertificationService, _ peer: Int32) {
    let connection = ServerConnection()
    let parser = JSONParser()
    func answer(_ call: Call) throws(VarlinkError) -> NextCall {
      try service.answer(call, on: connection)
    }
    var bytes = [UInt8](repeating: 0, count: 65536)
    while !connection.isFinished {
      let received = recv(peer, &bytes, bytes.count, 0)
      if received > 0 {
        bytes[..<received].withUnsafeBytes { connection.receive($0) }
      } else {
        connection.receiveEnd()
      }
      while connection.nextCall(using: parser, answer) {}
      while connection.outputCount > 0 {
        let sent = connection.withUnsafeOutput { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return }
        connection.consumeOutput(sent)
      }
    }
  }
}
