import Platform
import ScrollClient

/// The demo's own daemon, which is killed with its last reference.
final class DemoDaemon {
  /// How long the daemon may take to start or to stop.
  private static let timeout = Duration.seconds(10)

  let address: ServiceAddress
  private let directory: String
  private let process: ChildProcess
  /// The reading end of the daemon's standard error, which ends with the daemon.
  private let errors: FileDescriptor
  private var messages: [UInt8] = []
  private var hasEnded = false

  /// Starts a daemon and waits until it is ready.
  ///
  /// - Parameters:
  ///   - configuration: The configuration file. By default an empty one, so that the demo is the same everywhere.
  ///   - interruption: Checked repeatedly while waiting.
  init(
    program: String, directory: String, configuration: String = "/dev/null", _ interruption: Interruption
  ) throws {
    self.directory = directory
    address = ServiceAddress(directory + "/socket")
    try? Files.remove(directory + "/notify")
    let notify = try NotifySocket(path: directory + "/notify")
    let pipe = try SystemError.wrapping("make a pipe for", program) { () throws(Errno) in try makePipe() }
    errors = FileDescriptor(pipe.reading)
    let written = FileDescriptor(pipe.writing)
    try errors.borrowed.setNonBlocking()
    process = try SystemError.wrapping("start", program) { () throws(Errno) in
      try ChildProcess(
        starting: program,
        arguments: [
          "--config", configuration, "--socket", directory + "/socket", "--state-directory", directory + "/state",
        ],
        environment: Self.environment(notify: notify.path), standardError: written.borrowed, isInOwnGroup: true)
    }
    // The daemon holds the only writing end, so that reading ends with it.
    _ = consume written
    try waitUntilReady(notify, program, interruption)
  }

  deinit {
    if !hasEnded {
      process.send(.kill)
      _ = try? process.wait()
    }
  }

  /// Returns the path of the `scrolld` next to this program.
  static func program() throws -> String {
    let own = try SystemError.wrapping("read", "/proc/self/exe") { () throws(Errno) in
      try CurrentProcess.executablePath()
    }
    let path = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "scrolld"
    guard Files.isExecutable(String(path)) else {
      throw Failure("no scrolld next to this program: \(path)", hint: "“swift build” builds both.")
    }
    return String(path)
  }

  /// Shuts the daemon down and waits for its end.
  ///
  /// - Throws: ``Failure`` when it does not stop in time, or exits with a status other than 0.
  func stop() throws {
    process.send(.terminate)
    let deadline = ContinuousClock.now + Self.timeout
    while drain() {
      guard ContinuousClock.now < deadline else { throw Failure("scrolld does not stop", hint: text) }
      try wait(for: [errors.borrowed])
    }
    let end = try process.wait()
    hasEnded = true
    if end != .status(0) { throw Failure("scrolld exited with \(end)", hint: text) }
  }

  /// Reads the daemon's standard error.
  ///
  /// - Returns: Whether the daemon is still running.
  @discardableResult
  func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
      while let count = try? errors.borrowed.read(into: room) {
        if count == 0 { return false }
        messages += room[..<count]
      }
      return true
    }
  }

  private var text: String { String(decoding: messages, as: UTF8.self) }

  private func waitUntilReady(
    _ notify: borrowing NotifySocket, _ program: String, _ interruption: Interruption
  ) throws {
    let deadline = ContinuousClock.now + Self.timeout
    while !notify.takeReady() {
      try interruption.check()
      if !drain() {
        let end = try process.wait()
        hasEnded = true
        throw Failure("\(program) exited with \(end) before it was ready", hint: text)
      }
      guard ContinuousClock.now < deadline else { throw Failure("\(program) did not become ready", hint: text) }
      try wait(for: [notify.borrowed, errors.borrowed])
    }
  }

  /// Waits for one of the descriptors, but briefly, so that Ctrl-C is noticed.
  private func wait(for descriptors: [BorrowedDescriptor]) throws {
    try BorrowedDescriptor.waitForInput(on: descriptors, milliseconds: 100)
  }

  /// This process's environment without the variables of its service manager.
  private static func environment(notify: String) -> [String] {
    let managed = ["NOTIFY_SOCKET", "LISTEN_", "WATCHDOG_", "JOURNAL_STREAM", "STATE_DIRECTORY", "RUNTIME_DIRECTORY"]
    let variables = CurrentProcess.environment.filter { variable in !managed.contains { variable.hasPrefix($0) } }
    return variables + ["NOTIFY_SOCKET=\(notify)"]
  }
}
