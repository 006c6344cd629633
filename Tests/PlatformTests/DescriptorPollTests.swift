import Platform
import Testing

@Suite struct DescriptorPollTests {
  private func everything(_ poll: DescriptorPoll) throws -> [UInt64] {
    try poll.wait(blocks: false)
    var keys: [UInt64] = []
    while let (key, readiness) = poll.next() {
      #expect(readiness.contains(.input))
      keys.append(key)
    }
    return keys.sorted()
  }

  @Test func oneWaitReportsAllThatIsReadyByItsKey() throws {
    let poll = try DescriptorPoll(capacity: 8)
    let counters = try (0..<3).map { _ in try EventCounter() }
    for (index, counter) in counters.enumerated() {
      try poll.add(counter.borrowed, key: UInt64(index) + 10, .input)
    }
    #expect(try everything(poll) == [])
    counters[0].increment()
    counters[2].increment()
    #expect(try everything(poll) == [10, 12])
    // Until it is taken, it is reported again.
    counters[0].reset()
    #expect(try everything(poll) == [12])
    poll.remove(counters[2].borrowed)
    #expect(try everything(poll) == [])
  }

  @Test func whatDoesNotFitIsReportedByTheNextWaits() throws {
    let poll = try DescriptorPoll(capacity: 2)
    let counters = try (0..<5).map { _ in try EventCounter() }
    for (index, counter) in counters.enumerated() {
      try poll.add(counter.borrowed, key: UInt64(index), .input)
      counter.increment()
    }
    var found: Set<UInt64> = []
    for _ in 0..<3 { found.formUnion(try everything(poll)) }
    #expect(found == [0, 1, 2, 3, 4])
  }

  @Test func aChangedInterestAppliesAtOnce() throws {
    let poll = try DescriptorPoll(capacity: 2)
    let counter = try EventCounter()
    try poll.add(counter.borrowed, key: 1, .input)
    counter.increment()
    try poll.change(counter.borrowed, key: 7, .output)
    try poll.wait(blocks: true)
    let ready = try #require(poll.next())
    #expect(ready.key == 7)
    #expect(ready.readiness == .output)
    #expect(!poll.hasNext)
  }

  @Test func aDescriptorIsWatchedOnce() throws {
    let poll = try DescriptorPoll(capacity: 1)
    let counter = try EventCounter()
    try poll.add(counter.borrowed, key: 1, .input)
    #expect(throws: Errno.self) { try poll.add(counter.borrowed, key: 2, .input) }
  }
}
