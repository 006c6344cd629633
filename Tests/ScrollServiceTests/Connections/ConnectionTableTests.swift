import Testing

@testable import ScrollService

@Suite struct ConnectionTableTests {
  private final class Item {
    let id: ConnectionID
    init(_ id: ConnectionID) { self.id = id }
  }

  @Test func itReturnsWhatWasInsertedAndNothingAfterItsRemoval() {
    var table = ConnectionTable<Item>()
    // Numbers whose last bits are the same share a place among those that are remembered.
    let ids: [ConnectionID] = [1, 2, 65, 129, 64, 128, 1 << 40, .max]
    for id in ids { table.insert(Item(id), for: id) }
    for _ in 0..<2 { for id in ids { #expect(table[id]?.id == id) } }
    #expect(table[3] == nil)
    #expect(table.count == ids.count)
    #expect(Set(table.ids) == Set(ids))
    for (index, id) in ids.enumerated() {
      #expect(table[id]?.id == id)
      #expect(table.remove(id)?.id == id)
      #expect(table[id] == nil)
      #expect(table.remove(id) == nil)
      for other in ids[(index + 1)...] { #expect(table[other]?.id == other) }
    }
    #expect(table.count == 0)
  }
}
