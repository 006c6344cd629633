import Platform
import ScrollClient
import Varlink

/// A daemon that a benchmark starts, in a directory of its own.
final class BenchmarkDaemon {
  private let directory: BenchmarkDirectory
  private var process: ChildProcess
  private let arguments: [String]

  /// The daemon's socket.
  var socket: String { directory.path + "/socket" }

  /// Starts the `scrolld` next to this program and waits until it accepts connections.
  ///
  /// - Throws: `SystemError` when it cannot be started, `SocketError` when it accepts none within 10 s.
  init(in parent: String, configuration: String) throws {
    directory = try BenchmarkDirectory(in: parent)
    let file = directory.path + "/scrolld.conf"
    try SystemError.wrapping("write", file) { () throws(Errno) in
      let target = try FileDescriptor(opening: file, [.writeOnly, .create, .exclusive])
      try target.borrowed.write(configuration)
    }
    let program = try Self.directoryOfThisProgram() + "/scrolld"
    arguments = ["--config", file, "--socket", directory.path + "/socket", "--state-directory", directory.state]
    process = try Self.start(program, arguments)
    try waitUntilServing()
  }

  private static func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    let null = try SystemError.wrapping("open", "/dev/null") { () throws(Errno) in
      try FileDescriptor(opening: "/dev/null", .writeOnly)
    }
    defer { withExtendedLifetime(null) {} }
    let quiet = null.borrowed
    return try SystemError.wrapping("start", program) { () throws(Errno) in
      // Its log messages would break up the table.
      try ChildProcess(starting: program, arguments: arguments, standardError: quiet)
    }
  }

  /// Kills the daemon or stops it cleanly, and starts it again on the same log.
  ///
  /// - Returns: The time from the start until the daemon answers, in seconds.
  func restart(with signal: Signal) throws -> Double {
    process.send(signal)
    _ = try? process.wait()
    try? Files.remove(socket)
    let program = try Self.directoryOfThisProgram() + "/scrolld"
    let start = ContinuousClock.now
    process = try Self.start(program, arguments)
    let connection = try RawConnection(socket, terminator: 0, pause: .microseconds(200))
    try Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8 + [0]).withUnsafeBytes { try connection.send($0) }
    try connection.receive()
    return (ContinuousClock.now - start).inSeconds
  }

  private func waitUntilServing() throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      do {
        _ = try ClientSocket(.path(socket))
        return
      } catch {
        if ContinuousClock.now >= deadline { throw error }
        sleep(until: .now + .milliseconds(5))
      }
    }
  }

  /// The memory that the daemon has in use, without what it shares with files, in bytes (proc(5)).
  var memory: Int64 {
    get throws {
      let text = String(decoding: try TextFile.read("/proc/\(process.id)/status"), as: UTF8.self)
      let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      return (line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0) * 1024
    }
  }

  /// Waits until all segments are packed but the one that is being written.
  ///
  /// - Throws: `Arguments.Problem` when that takes more than 5 minutes.
  func waitUntilPacked() throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try metric("unpacked_bytes") > 0 {
      guard ContinuousClock.now < deadline else { throw Arguments.Problem("the daemon does not pack its log") }
      sleep(until: .now + .milliseconds(100))
    }
  }

  /// The size of the daemon's log in bytes.
  var logSize: Int64 {
    get throws {
      let log = directory.state + "/log"
      return try Directory.names(in: log).reduce(0) { $0 + (try FileStatus(log + "/" + $1).size) }
    }
  }

  /// The daemon's processor time in seconds; 0 when the kernel does not report it.
  var processorTime: Double {
    guard let text = try? TextFile.read("/proc/\(process.id)/stat") else { return 0 }
    // The name in parentheses may contain spaces. User and system time are the 12th and 13th field after it.
    let fields = String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(CurrentProcess.ticksPerSecond)
  }

  /// Returns one of the daemon's metrics.
  func metric(_ name: String) throws -> Int64 {
    let metrics = try ServiceConnection(ServiceAddress(socket)).statistics().metrics
    guard let metric = metrics.first(where: { $0.name == name }) else {
      throw SystemError("find the metric", name, .noSuchFile)
    }
    return metric.value
  }

  /// Shuts the daemon down cleanly and removes its directory.
  func stop() {
    process.send(.terminate)
    if let end = try? process.wait(), end != .status(0) {
      StandardError.write("scrollbench: the daemon exited with \(end)\n")
    }
    directory.remove(["socket", "scrolld.conf"])
  }

  /// Returns the directory in which this program and the daemon are.
  static func directoryOfThisProgram() throws -> String {
    let path = try SystemError.wrapping("read", "/proc/self/exe") { () throws(Errno) in
      try CurrentProcess.executablePath()
    }
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
