import Glibc
import ScrollClient
import ScrollService
import Varlink

/// A daemon that a benchmark starts, in a directory of its own.
final class BenchmarkDaemon {
  private let directory: BenchmarkDirectory
  private let process: pid_t

  /// The daemon's socket.
  var socket: String { directory.path + "/socket" }

  /// Starts the `scrolld` next to this program and waits until it accepts connections.
  ///
  /// - Throws: `SystemError` when it cannot be started, `SocketError` when it accepts none within 10 s.
  init(in parent: String, configuration: String) throws {
    directory = try BenchmarkDirectory(in: parent)
    let file = directory.path + "/scrolld.conf"
    guard let stream = fopen(file, "w"), fputs(configuration, stream) >= 0, fclose(stream) == 0 else {
      throw SystemError("write", file, code: errno)
    }
    let program = try Self.directoryOfThisProgram() + "/scrolld"
    let words = [
      program, "--config", file, "--socket", directory.path + "/socket", "--state-directory", directory.state,
    ]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, program, nil, nil, &arguments, environ)
    guard code == 0 else { throw SystemError("start", program, code: code) }
    process = started
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
        usleep(5000)
      }
    }
  }

  /// The daemon's processor time in seconds; 0 when the kernel does not report it.
  var processorTime: Double {
    guard let text = try? TextFile.read("/proc/\(process)/stat") else { return 0 }
    // The name in parentheses may contain spaces. User and system time are the 12th and 13th field after it.
    let fields = String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Returns one of the daemon's metrics.
  func metric(_ name: String) throws -> Int64 {
    let metrics = try ServiceConnection(ServiceAddress(socket)).statistics().metrics
    guard let metric = metrics.first(where: { $0.name == name }) else {
      throw SystemError("find the metric", name, code: ENOENT)
    }
    return metric.value
  }

  /// Shuts the daemon down cleanly and removes its directory.
  func stop() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    if status != 0 { StandardError.write("scrollbench: the daemon exited with status \(status)\n") }
    directory.remove(["socket", "scrolld.conf"])
  }

  private static func directoryOfThisProgram() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { throw SystemError("read the link", "/proc/self/exe", code: errno) }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
