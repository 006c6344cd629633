import CLinux
import Glibc

/// A program that this process has started.
public struct ChildProcess: Sendable {
  /// How a process ended (wait(2)).
  public enum End: Equatable, Sendable, CustomStringConvertible {
    /// The program exited with a status.
    case status(Int32)
    /// A signal ended the program.
    case signal(Int32)

    /// The end as text: `status 1`, `signal 9`.
    public var description: String {
      switch self {
      case .status(let status): "status \(status)"
      case .signal(let signal): "signal \(signal)"
      }
    }
  }

  /// The process's id.
  public let id: Int32

  /// Starts a program with no blocked signals, SIGPIPE as usual, and the null device as standard input and output
  /// (posix_spawn(3)).
  ///
  /// - Parameters:
  ///   - program: The program's path, which is also its argument 0.
  ///   - environment: `NAME=value` texts.
  ///   - standardError: Becomes the program's standard error.
  ///   - isInOwnGroup: Whether the program leaves this process's group, so that Ctrl-C doesn't reach it.
  public init(
    starting program: String, arguments: [String], environment: [String] = CurrentProcess.environment,
    standardError: BorrowedDescriptor = .standardError, isInOwnGroup: Bool = false
  ) throws(Errno) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, standardError.rawValue, STDERR_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let group = isInOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

    var process: pid_t = 0
    let code = withCStrings([program] + arguments) { arguments in
      withCStrings(environment) { posix_spawn(&process, program, &actions, &attributes, arguments, $0) }
    }
    if code != 0 { throw Errno(rawValue: code) }
    id = process
  }

  /// Sends the process a signal (kill(2)). Not to be called after ``wait()``.
  public func send(_ signal: Signal) { kill(id, signal.rawValue) }

  /// Waits for the process's end; to be called once (waitpid(2)).
  @discardableResult
  public func wait() throws(Errno) -> End {
    var status: Int32 = 0
    _ = try retryingInterrupts { waitpid(id, &status, 0) }
    return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }
}

/// Returns the ends of a new pipe, closed on exec (pipe2(2)). The caller owns the descriptors.
public func makePipe() throws(Errno) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  try check(pipe2(&ends, O_CLOEXEC))
  return (ends[0], ends[1])
}
