// Ctrl-C, taken when it suits.

import Glibc

/// Keeps the signals that end a program from ending it before it has cleaned up, until ``release()``.
struct Interruption {
  /// A signal that ends the program has come.
  struct Interrupted: Error, CustomStringConvertible {
    var description: String { "interrupted" }
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private var before = sigset_t()

  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, &before)
  }

  /// Lets the signals through again. One that came in the meantime ends the program now.
  func release() {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Throws when such a signal has come.
  func check() throws(Interrupted) {
    var pending = sigset_t()
    sigpending(&pending)
    for signal in Self.signals where sigismember(&pending, signal) == 1 { throw Interrupted() }
  }

  /// Those signals.
  static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
