import Platform
import ScrollClient
import Varlink

/// A daemon that a benchmark starts, in a directory of its own.
final class BenchmarkDaemon {
  private let directory: BenchmarkDirectory
  private let process: ChildProcess

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
    process = try SystemError.wrapping("start", program) { [directory] () throws(Errno) in
      try ChildProcess(
        starting: program,
        arguments: ["--config", file, "--socket", directory.path + "/socket", "--state-directory", directory.state])
    }
    try waitUntilServing()
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

  private static func directoryOfThisProgram() throws -> String {
    let path = try SystemError.wrapping("read", "/proc/self/exe") { () throws(Errno) in
      try CurrentProcess.executablePath()
    }
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
