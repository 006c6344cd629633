import Platform

/// A ``FloorServer`` in a process of its own.
final class Floor {
  private let directory: BenchmarkDirectory
  private let process: ChildProcess

  /// The server's socket.
  var socket: String { directory.path + "/socket" }

  init(_ work: FloorServer.Work, in parent: String) throws {
    directory = try BenchmarkDirectory(in: parent)
    let program = try SystemError.wrapping("read", "/proc/self/exe") { () throws(Errno) in
      try CurrentProcess.executablePath()
    }
    process = try SystemError.wrapping("start", program) { [directory] () throws(Errno) in
      try ChildProcess(
        starting: program, arguments: ["floor", "--work", work.rawValue, "--directory", directory.path])
    }
  }

  /// Ends the server, once its client has ended, and removes its files.
  func stop() {
    process.send(.terminate)
    _ = try? process.wait()
    directory.remove(["socket", "file"])
  }
}
