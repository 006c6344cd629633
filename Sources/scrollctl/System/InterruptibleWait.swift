import Platform

/// Waits that Ctrl-C interrupts without ending the program, so that it can clean up. The same holds for SIGTERM and SIGHUP. At
/// any other time these signals end the program as usual.
enum InterruptibleWait {
  /// How long a signal may go unnoticed during a wait for input, in milliseconds.
  private static let tick: Int32 = 100

  /// Waits until a moment.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first. The signal is consumed.
  static func until(_ moment: ContinuousClock.Instant) throws(Interruption.Interrupted) {
    let before = Interruption.signals.block()
    defer { before.restore() }
    while true {
      let left = moment - .now
      guard left > .zero else { return }
      if Interruption.signals.take(within: left) { throw Interruption.Interrupted() }
    }
  }

  /// Waits until a descriptor has input or has reached its end.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first. The signal is consumed.
  static func untilReadable(_ descriptor: BorrowedDescriptor) throws(Interruption.Interrupted) {
    let before = Interruption.signals.block()
    defer { before.restore() }
    while true {
      // If waiting fails, reading will report the error.
      let isReady = (try? BorrowedDescriptor.waitForInput(on: [descriptor], milliseconds: tick)) ?? true
      // Checked even with input: Ctrl-C also ends the program that writes into the pipe, and so the input.
      if Interruption.signals.take(within: .zero) { throw Interruption.Interrupted() }
      if isReady { return }
    }
  }
}
