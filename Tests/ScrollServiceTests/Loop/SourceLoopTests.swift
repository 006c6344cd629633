import Platform
import Testing

@testable import ScrollService

@Suite struct SourceLoopTests {
  /// Returns whether the loop's descriptor is readable.
  private func isReadable(_ sources: SourceLoop) throws -> Bool {
    let poll = try DescriptorPoll(capacity: 1)
    try poll.add(sources.borrowed, key: 1, .input)
    try poll.wait(blocks: false)
    return poll.hasNext
  }

  @Test func aReadyDescriptorMakesTheLoopReadableAndIsDispatchedOnce() throws {
    let sources = try SourceLoop()
    let counter = try EventCounter()
    var calls = 0
    let source = try EventSource(sources.event, reading: counter.borrowed.rawValue) { _ in
      calls += 1
      counter.reset()
    }
    #expect(try !sources.arm())
    #expect(try !isReadable(sources))
    counter.increment()
    #expect(try isReadable(sources))
    #expect(try sources.dispatchDue())
    #expect(calls == 1)
    #expect(try !sources.arm())
    #expect(try !isReadable(sources))
    source.cancel()
  }

  @Test func aTimerThatWasSetAfterArmingIsNotMissed() throws {
    let sources = try SourceLoop()
    var calls = 0
    let timer = try EventSource(sources.event, timer: { calls += 1 })
    #expect(try !sources.arm())
    // A time in the past.
    #expect(timer.setTime(1))
    sources.timersDidChange()
    #expect(try sources.arm())
    #expect(calls == 1)
    #expect(try !sources.arm())
    timer.cancel()
  }

  @Test func dispatchingBeforeArmingDoesNothing() throws {
    let sources = try SourceLoop()
    #expect(try !sources.dispatchDue())
    #expect(try !sources.arm())
    #expect(try !sources.dispatchDue())
    #expect(try !sources.arm())
  }
}
