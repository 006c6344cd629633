import Glibc
import Platform
import Testing

@Suite("Waiting", .timeLimit(.minutes(1)))
struct WaitingTests {
  @Test("A descriptor is ready for what it can do")
  func readiness() throws {
    let pipe = try TestPipe()
    #expect(try pipe.writing.wait(for: [.input, .output], until: nil) == .output)
    #expect(try pipe.reading.wait(for: .input, until: .now) == [])
    try pipe.writing.write("x")
    #expect(try pipe.reading.wait(for: .input, until: nil) == .input)
  }

  @Test("A deadline ends a wait, and not before it has passed")
  func deadlines() throws {
    let pipe = try TestPipe()
    let deadline = ContinuousClock.now + .milliseconds(30)
    #expect(try pipe.reading.wait(for: .input, until: deadline) == [])
    #expect(ContinuousClock.now >= deadline)
  }

  @Test("The end of a stream counts as input")
  func ends() throws {
    let pipe = try TestPipe()
    pipe.closeWriting()
    #expect(try pipe.reading.wait(for: .input, until: nil) == .input)
    #expect(try BorrowedDescriptor.waitForInput(on: [pipe.reading], milliseconds: -1))
  }

  @Test("Of several descriptors one with input is enough")
  func several() throws {
    let (quiet, loud) = (try TestPipe(), try TestPipe())
    #expect(try !BorrowedDescriptor.waitForInput(on: [quiet.reading, loud.reading], milliseconds: 1))
    try loud.writing.write("x")
    #expect(try BorrowedDescriptor.waitForInput(on: [quiet.reading, loud.reading], milliseconds: -1))
  }

  @Test("Of several descriptors each is ready for what it can do, among what it was asked for")
  func readinessOfSeveral() throws {
    let (quiet, loud) = (try TestPipe(), try TestPipe())
    try loud.writing.write("x")
    let interests: [(descriptor: BorrowedDescriptor, events: Readiness)] = [
      (quiet.reading, .input), (loud.reading, .input), (loud.writing, [.input, .output]),
    ]
    #expect(try BorrowedDescriptor.wait(for: interests, until: nil) == [[], .input, .output])
    #expect(try BorrowedDescriptor.wait(for: [interests[0]], until: .now + .milliseconds(1)) == [[]])
  }

  @Test("A sleep ends at its moment, not before")
  func sleeping() {
    let moment = ContinuousClock.now + .milliseconds(20)
    sleep(until: moment)
    #expect(ContinuousClock.now >= moment)
    sleep(until: moment)
  }

  @Test("A counter wakes the descriptor's reader until it is reset")
  func counters() throws {
    let counter = try EventCounter()
    #expect(try counter.borrowed.wait(for: .input, until: .now) == [])
    counter.increment()
    counter.increment()
    #expect(try counter.borrowed.wait(for: .input, until: nil) == .input)
    counter.reset()
    counter.reset()
    #expect(try counter.borrowed.wait(for: .input, until: .now) == [])
  }

  @Test("The monotonic clock never goes back, and the wall clock is past 2020")
  func clocks() {
    let first = Clock.monotonicMicroseconds()
    #expect(Clock.monotonicMicroseconds() >= first)
    #expect(Clock.wallMicroseconds() > 1_577_836_800_000_000)
  }

  @Test("A monitor hands a value from one thread to another")
  func monitors() throws {
    final class Box: @unchecked Sendable {
      // Unchecked: touched within the monitor only.
      let monitor = Monitor()
      var value = 0
    }
    let box = Box()
    let thread = try WorkerThread {
      box.monitor.locked {
        box.value = 7
        box.monitor.signal()
      }
    }
    let value = box.monitor.locked {
      while box.value == 0 { box.monitor.wait(microseconds: 1000) }
      return box.value
    }
    thread.join()
    #expect(value == 7)
  }

  @Test("A signal that a thread blocks is pending until it is taken")
  func signals() throws {
    final class Findings: @unchecked Sendable {
      // Unchecked: written by the thread, and read after that has ended.
      var before = true, pending = false, taken = false, after = true, again = true
    }
    let findings = Findings()
    let set = SignalSet([Signal(rawValue: SIGUSR2)])
    let thread = try WorkerThread {
      findings.before = set.isPending
      pthread_kill(pthread_self(), SIGUSR2)
      findings.pending = set.isPending
      findings.taken = set.take(within: .seconds(10))
      findings.after = set.isPending
      findings.again = set.take(within: .zero)
    }
    thread.join()
    #expect(!findings.before && findings.pending && findings.taken && !findings.after && !findings.again)
  }

  @Test("A mask is restored to what it was")
  func masks() throws {
    func isBlocked() -> Bool {
      var set = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &set)
      return sigismember(&set, SIGUSR1) == 1
    }
    // The test's own thread may block it.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    let mask = SignalSet([Signal(rawValue: SIGUSR1)]).block()
    #expect(isBlocked())
    mask.restore()
    #expect(!isBlocked())
  }
}
