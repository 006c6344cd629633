// Waiting that Ctrl-C ends without ending the program.

import Glibc
import ScrollService

/// Waiting that the signals which end a program end without ending the program, so that it can leave things in order. Such a
/// signal at any other time ends the program as usual.
enum InterruptibleWait {
  /// How long it may take until a signal is noticed while input is awaited, milliseconds.
  private static let tick: Int32 = 100

  /// Waits until a moment.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first; it is taken.
  static func until(_ moment: ContinuousClock.Instant) throws(Interruption.Interrupted) {
    try blockingSignals { signals throws(Interruption.Interrupted) in
      while true {
        let left = moment - .now
        guard left > .zero else { return }
        let (seconds, attoseconds) = left.components
        var span = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        if sigtimedwait(&signals, nil, &span) > 0 { throw Interruption.Interrupted() }
      }
    }
  }

  /// Waits until a descriptor can be read from, or has come to its end.
  ///
  /// - Throws: ``Interruption/Interrupted`` when a signal came first; it is taken.
  static func untilReadable(_ descriptor: Int32) throws(Interruption.Interrupted) {
    try blockingSignals { signals throws(Interruption.Interrupted) in
      while true {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Whatever else poll(2) may say, reading will say it, too.
        let count = poll(&entry, 1, tick)
        let isReady = count > 0 || count < 0 && errno != EINTR
        // Asked for in any case: Ctrl-C ends the program before the pipe as well, and so the input.
        var now = timespec()
        if sigtimedwait(&signals, nil, &now) > 0 { throw Interruption.Interrupted() }
        if isReady { return }
      }
    }
  }

  private static func blockingSignals(
    _ body: (inout sigset_t) throws(Interruption.Interrupted) -> Void
  ) throws(Interruption.Interrupted) {
    var signals = Interruption.set
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body(&signals)
  }
}
