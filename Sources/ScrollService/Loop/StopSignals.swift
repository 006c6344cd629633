// The signals that stop the daemon.

import Glibc

/// The signals that stop the daemon in order. They are blocked in every thread: the loop takes them when it runs, and a start
/// looks whether one waits.
enum StopSignals {
  /// `SIGTERM` is the service manager's, `SIGINT` that of a terminal.
  static let all = [SIGTERM, SIGINT]

  /// Whether one has come that nobody has taken yet (sigpending(2)).
  static var isPending: Bool {
    var pending = sigset_t()
    sigemptyset(&pending)
    sigpending(&pending)
    return all.contains { sigismember(&pending, $0) == 1 }
  }
}
