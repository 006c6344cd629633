import Platform

/// A Redis server that a benchmark starts, in a directory of its own.
///
/// It gets one `RPUSH` an event, the cheapest of its commands that keeps every event.
final class BenchmarkRedis {
  /// When Redis writes to the disk.
  enum Persistence: String {
    /// It keeps everything in memory only.
    case none
    /// It appends each command to a file, and syncs the file before it answers.
    case always
  }

  /// Where Debian's package and a build from source put the program.
  private static let places = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"]

  /// The program; `nil` when Redis is not installed.
  static var program: String? { places.first(where: Files.isExecutable) }

  private let directory: BenchmarkDirectory
  private let process: ChildProcess

  /// The server's socket.
  var socket: String { directory.path + "/socket" }

  init(_ program: String, _ persistence: Persistence, in parent: String) throws {
    directory = try BenchmarkDirectory(in: parent)
    var arguments = ["--port", "0", "--unixsocket", directory.path + "/socket", "--dir", directory.path]
    arguments += ["--save", "", "--loglevel", "warning", "--auto-aof-rewrite-percentage", "0"]
    if persistence == .always { arguments += ["--appendonly", "yes", "--appendfsync", "always"] }
    process = try SystemError.wrapping("start", program) { [arguments] () throws(Errno) in
      try ChildProcess(starting: program, arguments: arguments)
    }
  }

  /// Ends the server and removes its files.
  func stop() {
    process.send(.kill)
    _ = try? process.wait()
    let log = directory.path + "/appendonlydir"
    for name in (try? Directory.names(in: log)) ?? [] { try? Files.remove(log + "/" + name) }
    try? Directory.remove(log)
    directory.remove(["socket"])
  }
}
