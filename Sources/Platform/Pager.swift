import CLinux
import Glibc

/// A program that shows text page by page, to which this process writes.
public final class PagerProcess {
  /// Where to write the text.
  public var input: BorrowedDescriptor { BorrowedDescriptor(writing) }

  private let process: Int32
  private var writing: Int32

  /// Starts a command of the shell with this process's standard output and error (posix_spawn(3)).
  ///
  /// - Parameter environment: `NAME=value` texts.
  public init(starting command: String, environment: [String]) throws(Errno) {
    let (reading, writing) = try makePipe()
    defer { close(reading) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, reading, STDIN_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let code = withCStrings(["sh", "-c", command]) { arguments in
      withCStrings(environment) { posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, $0) }
    }
    if code != 0 {
      close(writing)
      throw Errno(rawValue: code)
    }
    self.process = process
    self.writing = writing
  }

  /// Ends the text, and waits until the user has left the pager (waitpid(2)).
  public func finish() {
    if writing < 0 { return }
    close(writing)
    writing = -1
    var status: Int32 = 0
    // If waiting fails, the pager is gone already.
    _ = try? retryingInterrupts { waitpid(process, &status, 0) }
  }
}

/// Lends strings to a system call as a list that a NULL ends.
func withCStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let pointers = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
