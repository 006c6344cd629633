import ScrollModel
import Testing

@testable import ScrollLog

@Suite struct ClosedSessionIDsTests {
  /// What came last decides about an id, however old it is.
  @Test func theNewestIDsAreKeptAndRemovedOnesAreNot() {
    var random = SeededGenerator.ofThisRun(96)
    for limit in [1, 2, 3, 8] {
      var ids = ClosedSessionIDs(limit: limit)
      /// The ids in the order in which they were inserted last.
      var order: [SessionID] = []
      var removed: Set<SessionID> = []
      for step in 0..<400 {
        let id = SessionID(high: 1, low: UInt64.random(in: 0..<24, using: &random))
        if random.happens(0.3) {
          ids.remove(id)
          removed.insert(id)
        } else {
          ids.insert(id, of: .user(UInt32(step)))
          order.removeAll { $0 == id }
          order.append(id)
          removed.remove(id)
          #expect(ids[id] == .user(UInt32(step)))
        }
        #expect(
          order.suffix(limit).allSatisfy { removed.contains($0) || ids[$0] != nil }, "limit \(limit), step \(step)")
        #expect(removed.allSatisfy { ids[$0] == nil && ids.all[$0] == nil }, "limit \(limit), step \(step)")
        #expect(ids.count <= 2 * limit + 1)
      }
    }
  }
}
