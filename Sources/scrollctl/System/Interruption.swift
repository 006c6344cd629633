// Ctrl-C, taken when it suits.

import Platform

/// Keeps the signals that end a program from ending it before it has cleaned up, until ``release()``.
struct Interruption {
  /// A signal that ends the program has come.
  struct Interrupted: Error, CustomStringConvertible {
    var description: String { "interrupted" }
  }

  /// The signals that end a program.
  static let signals = SignalSet([.interrupt, .terminate, .hangUp])

  private let before: SignalMask

  init() { before = Self.signals.block() }

  /// Lets the signals through again. One that came in the meantime ends the program now.
  func release() { before.restore() }

  /// Throws when such a signal has come.
  func check() throws(Interrupted) {
    if Self.signals.isPending { throw Interrupted() }
  }
}
