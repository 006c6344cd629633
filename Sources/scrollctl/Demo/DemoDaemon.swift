// A daemon of the demo's own.

import Glibc
import ScrollClient
import ScrollService

/// A daemon of the demo's own, in a directory of its own, killed when the owner lets go.
final class DemoDaemon {
  /// How long it may take to start or to stop.
  private static let patience = Duration.seconds(10)

  let address: ServiceAddress
  private let directory: String
  private let process: pid_t
  /// The reading end of its standard error, which ends when it does.
  private let errors: Int32
  private var messages: [UInt8] = []
  private var hasEnded = false

  /// Starts a daemon and waits until it serves.
  ///
  /// - Parameters:
  ///   - configuration: The configuration's file. Without one the machine's own has no say either, so that the demo shows
  ///     the same everywhere.
  ///   - interruption: Is asked again and again while waiting.
  init(
    program: String, directory: String, configuration: String = "/dev/null", _ interruption: Interruption
  ) throws {
    self.directory = directory
    address = ServiceAddress(directory + "/socket")
    unlink(directory + "/notify")
    let notify = try NotifySocket(path: directory + "/notify")
    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else { throw SystemError.last("make a pipe for", program) }
    errors = pipe[0]
    _ = fcntl(errors, F_SETFD, FD_CLOEXEC)
    _ = fcntl(errors, F_SETFL, O_NONBLOCK)
    defer { close(pipe[1]) }
    process = try Self.spawn(program, directory, configuration, notify: notify.path, errors: pipe[1])
    try waitUntilReady(notify, program, interruption)
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(errors)
  }

  /// The program beside this one.
  static func program() throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw SystemError.last("read", "/proc/self/exe") }
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "scrolld"
    guard access(String(path), X_OK) == 0 else {
      throw Failure("no scrolld next to this program: \(path)", hint: "“swift build” builds both.")
    }
    return String(path)
  }

  /// Asks the daemon to end, and waits until it has.
  ///
  /// - Throws: ``Failure`` when it doesn't, or ends with another status than 0.
  func stop() throws {
    kill(process, SIGTERM)
    let deadline = ContinuousClock.now + Self.patience
    while drain() {
      guard ContinuousClock.now < deadline else { throw Failure("scrolld does not stop", hint: text) }
      wait(descriptors: [errors])
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    hasEnded = true
    if status != 0 { throw Failure("scrolld exited with \(Self.describe(status))", hint: text) }
  }

  /// Takes what the daemon said on standard error.
  ///
  /// - Returns: Whether it still runs.
  @discardableResult
  func drain() -> Bool {
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(errors, &room, room.count)
      if count > 0 {
        messages += room[..<count]
      } else if count == 0 {
        return false
      } else if errno != EINTR {
        return true
      }
    }
  }

  private var text: String { String(decoding: messages, as: UTF8.self) }

  private func waitUntilReady(
    _ notify: borrowing NotifySocket, _ program: String, _ interruption: Interruption
  ) throws {
    let deadline = ContinuousClock.now + Self.patience
    while !notify.takeReady() {
      try interruption.check()
      if !drain() {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        hasEnded = true
        throw Failure("\(program) exited with \(Self.describe(status)) before it was ready", hint: text)
      }
      guard ContinuousClock.now < deadline else { throw Failure("\(program) did not become ready", hint: text) }
      wait(descriptors: [notify.descriptor, errors])
    }
  }

  /// Waits for one of the descriptors, but no longer than it is worth to look for Ctrl-C.
  private func wait(descriptors: [Int32]) {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&entries, nfds_t(entries.count), 100)
  }

  private static func describe(_ status: Int32) -> String {
    status & 0x7F == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
  }

  /// Starts the program in a process group of its own, so that Ctrl-C doesn't reach it.
  private static func spawn(
    _ program: String, _ directory: String, _ configuration: String, notify: String, errors: Int32
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var nothing = sigset_t()
    sigemptyset(&nothing)
    posix_spawnattr_setsigmask(&attributes, &nothing)
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &pipe)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let arguments = [
      program, "--config", configuration, "--socket", directory + "/socket", "--state-directory", directory + "/state",
    ]
    var process: pid_t = 0
    let code = withCStrings(arguments) { arguments in
      withCStrings(environment(notify)) { posix_spawn(&process, program, &actions, &attributes, arguments, $0) }
    }
    if code != 0 { throw SystemError("start", program, code: code) }
    return process
  }

  /// This process's environment without what a service manager may have said to it.
  private static func environment(_ notify: String) -> [String] {
    let managed = ["NOTIFY_SOCKET", "LISTEN_", "WATCHDOG_", "JOURNAL_STREAM", "STATE_DIRECTORY", "RUNTIME_DIRECTORY"]
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if !managed.contains(where: text.hasPrefix) { variables.append(text) }
      next += 1
    }
    return variables + ["NOTIFY_SOCKET=\(notify)"]
  }

  /// Lends strings to a system call as a list that a NULL ends.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
