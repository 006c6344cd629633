import Glibc
import Platform
import Testing

@testable import scrollctl

@Suite("Waiting that Ctrl-C ends")
struct InterruptibleWaitTests {
  /// Runs a closure on a new thread with a pending SIGINT.
  private func interrupted(_ body: @escaping @Sendable () throws -> Void) -> (any Error)? {
    final class Outcome: @unchecked Sendable {
      // Unchecked: the thread writes it, and this one reads it after the thread has ended.
      var error: (any Error)?
      let body: @Sendable () throws -> Void
      init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    }
    let outcome = Outcome(body)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let outcome = Unmanaged<Outcome>.fromOpaque(context).takeRetainedValue()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        pthread_kill(pthread_self(), SIGINT)
        do { try outcome.body() } catch { outcome.error = error }
        return nil
      }, Unmanaged.passRetained(outcome).toOpaque())
    pthread_join(thread, nil)
    return outcome.error
  }

  @Test("A signal ends the wait for input, and is consumed")
  func input() {
    let error = interrupted {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      #expect(throws: Interruption.Interrupted.self) {
        try InterruptibleWait.untilReadable(BorrowedDescriptor(ends[0]))
      }
      // The input ends the second wait.
      write(ends[1], "x", 1)
      try InterruptibleWait.untilReadable(BorrowedDescriptor(ends[0]))
    }
    #expect(error == nil)
  }

  @Test("A signal that comes with the input's end is consumed, and does not end the program later")
  func inputAtItsEnd() {
    let error = interrupted {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      close(ends[1])
      defer { close(ends[0]) }
      #expect(throws: Interruption.Interrupted.self) {
        try InterruptibleWait.untilReadable(BorrowedDescriptor(ends[0]))
      }
    }
    #expect(error == nil)
  }

  @Test("A signal ends the wait for a moment, and is consumed")
  func moment() {
    let error = interrupted {
      #expect(throws: Interruption.Interrupted.self) { try InterruptibleWait.until(.now + .seconds(3600)) }
      try InterruptibleWait.until(.now)
    }
    #expect(error == nil)
  }
}
