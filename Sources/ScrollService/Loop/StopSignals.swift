// The signals that stop the daemon.

import Platform

/// The signals that stop the daemon in order. They are blocked in every thread: the loop takes them when it runs, and a start
/// looks whether one waits.
enum StopSignals {
  /// `SIGTERM` is the service manager's, `SIGINT` that of a terminal.
  static let all: [Signal] = [.terminate, .interrupt]

  /// Whether one has come that nobody has taken yet (sigpending(2)).
  static var isPending: Bool { SignalSet(all).isPending }
}
