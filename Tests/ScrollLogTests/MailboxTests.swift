import Platform
import Synchronization
import Testing

@testable import ScrollLog

/// The mailbox between the loop and a worker, mostly without a thread.
@Suite struct MailboxTests {
  private typealias Box = Mailbox<Int, String>

  private static func job(_ delivery: Box.Delivery) -> Int? {
    if case .job(let job) = delivery { job } else { nil }
  }

  private static func isClosed(_ delivery: Box.Delivery) -> Bool {
    if case .closed = delivery { true } else { false }
  }

  @Test func jobsComeInOrder() {
    let box = Box {}
    for job in 1...3 { box.submit(job) }
    #expect((1...3).map { _ in Self.job(box.receive()) } == [1, 2, 3])
  }

  @Test func resultsComeInOrderAndOnlyTheFirstOneWakes() {
    let wakes = Mutex(0)
    let box = Box { wakes.withLock { $0 += 1 } }
    for result in ["a", "b", "c"] { box.post(result) }
    #expect(wakes.withLock { $0 } == 1)
    #expect(box.takeResults() == ["a", "b", "c"])
    #expect(box.takeResults().isEmpty)
    box.post("d")
    #expect(wakes.withLock { $0 } == 2)
    #expect(box.takeResults() == ["d"])
  }

  @Test func aClosedMailboxDropsItsJobsAndStillGivesItsResults() {
    let box = Box {}
    box.submit(1)
    box.post("a")
    box.close()
    #expect(Self.isClosed(box.receive()))
    box.submit(2)
    #expect(Self.isClosed(box.receive()))
    #expect(box.takeResults() == ["a"])
  }

  @Test func aWorkerThatWaitsReceivesJobsAndTheClosing() throws {
    let box = Mailbox<Int, Int> {}
    let worker = try WorkerThread {
      while case .job(let job) = box.receive() { box.post(job * 2) }
    }
    var results: [Int] = []
    for job in 1...100 {
      box.submit(job)
      results += box.takeResults()
    }
    while results.count < 100 { results += box.takeResults() }
    box.close()
    worker.join()
    #expect(results == (1...100).map { $0 * 2 })
  }
}
