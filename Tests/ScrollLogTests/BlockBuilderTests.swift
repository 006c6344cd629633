import ScrollModel
import Testing

@testable import ScrollLog

@Suite struct BlockBuilderTests {
  /// A record of a call, or a run of events.
  private enum Entry {
    case events(SessionID, firstNumber: Int64, [Event])
    case close(SessionID)
  }

  private static func add(_ entry: Entry, to builder: inout BlockBuilder) {
    switch entry {
    case .events(let session, let number, let events):
      builder.beginRun(session, firstNumber: number)
      for event in events { builder.append(event) }
      builder.endRun()
    case .close(let session):
      builder.append(Closing(time: 7, reason: .asked), of: session)
    }
  }

  private static func records(_ block: Block) throws -> [StoredRecord] {
    var records = block.view.records()
    var found: [StoredRecord] = []
    while let stored = try records.next() { found.append(stored) }
    return found
  }

  /// A call is refused at any of its events, or after it: its events may have continued the run before.
  @Test func whatIsRolledBackLeavesNoTrace() throws {
    var random = SeededGenerator.ofThisRun(95)
    for _ in 0..<200 {
      var builder = BlockBuilder(nextPosition: 1, received: 0, capacity: 64)
      var plain = BlockBuilder(nextPosition: 1, received: 0, capacity: 64)
      var numbers: [Int64] = [1, 1]
      for _ in 0..<12 {
        let index = Int.random(in: 0..<2, using: &random)
        let id = SessionID(high: 0, low: UInt64(index))
        let events = (0..<Int.random(in: 0...3, using: &random)).map { _ in RandomFeed.event(&random) }
        let entry = random.happens(0.1) ? Entry.close(id) : .events(id, firstNumber: numbers[index], events)
        if random.happens(0.5) {
          let mark = builder.mark
          Self.add(entry, to: &builder)
          if random.happens(0.3) {
            builder.beginRun(id, firstNumber: numbers[index] + Int64(events.count))
            for event in events { builder.append(event) }
          }
          builder.rollback(to: mark)
        } else {
          Self.add(entry, to: &builder)
          Self.add(entry, to: &plain)
          if case .events = entry { numbers[index] += Int64(events.count) }
        }
        // A builder can't be copied into an expectation.
        let (count, expected) = (builder.count, plain.count)
        let (bytes, expectedBytes) = (builder.byteCount, plain.byteCount)
        #expect(count == expected && bytes == expectedBytes)
      }
      let (finished, plainly) = (builder.finish(received: 5), plain.finish(received: 5))
      guard let plainly else {
        #expect(finished.map(\.recordCount) == nil)
        continue
      }
      let found = try #require(finished)
      #expect(try Self.records(found) == Self.records(plainly))
      #expect(found.payloadLength == plainly.payloadLength)
    }
  }
}
