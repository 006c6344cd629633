import Platform

/// Holds off the signals that end a program, until ``release()``, so that it can clean up first.
struct Interruption {
  /// Such a signal has arrived.
  struct Interrupted: Error, CustomStringConvertible {
    var description: String { "interrupted" }
  }

  /// The signals that end a program.
  static let signals = SignalSet([.interrupt, .terminate, .hangUp])

  private let before: SignalMask

  init() { before = Self.signals.block() }

  /// Stops holding off the signals. One that arrived in the meantime ends the program now.
  func release() { before.restore() }

  /// Throws if such a signal has arrived.
  func check() throws(Interrupted) {
    if Self.signals.isPending { throw Interrupted() }
  }
}
