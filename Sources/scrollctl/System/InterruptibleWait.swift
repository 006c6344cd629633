// Waiting that Ctrl-C ends without ending the program.

import Platform

/// Waiting that the signals which end a program end without ending the program, so that it can leave things in order. Such a
/// signal at any other time ends the program as usual.
enum InterruptibleWait {
  /// How long it may take until a signal is noticed while input is awaited, milliseconds.
  private static let tick: Int32 = 100

  /// Waits until a moment.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first; it is taken.
  static func until(_ moment: ContinuousClock.Instant) throws(Interruption.Interrupted) {
    let before = Interruption.signals.block()
    defer { before.restore() }
    while true {
      let left = moment - .now
      guard left > .zero else { return }
      if Interruption.signals.take(within: left) { throw Interruption.Interrupted() }
    }
  }

  /// Waits until a descriptor can be read from, or has come to its end.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first; it is taken.
  static func untilReadable(_ descriptor: BorrowedDescriptor) throws(Interruption.Interrupted) {
    let before = Interruption.signals.block()
    defer { before.restore() }
    while true {
      // A descriptor that can't be waited for reports the reason when it is read.
      let isReady = (try? BorrowedDescriptor.waitForInput(on: [descriptor], milliseconds: tick)) ?? true
      // Also when input is there: Ctrl-C may have ended the program before the pipe, and so the input.
      if Interruption.signals.take(within: .zero) { throw Interruption.Interrupted() }
      if isReady { return }
    }
  }
}
