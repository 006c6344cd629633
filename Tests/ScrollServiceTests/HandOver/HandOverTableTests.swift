import Testing
import Varlink

@testable import ScrollService

@Suite struct HandOverTableTests {
  private let slots = 3
  private let state = ConnectionState(lastPosition: 12)

  private func bytes(of state: ConnectionState) -> [UInt8] {
    var writer = StateWriter()
    state.write(to: &writer)
    return writer.bytes
  }

  /// Calls `body` with a new table and its memory.
  private func withTable(_ body: (HandOverTable, UnsafeMutableRawBufferPointer) throws -> Void) throws {
    var memory = [UInt8](repeating: 0, count: HandOverTable.size(slotCount: slots))
    try memory.withUnsafeMutableBytes { try body(HandOverTable(new: $0, slotCount: slots), $0) }
  }

  @Test func aSlotHoldsTheLastIdleStateUntilItIsBusy() throws {
    try withTable { table, memory in
      #expect(table.fill(1, bytes(of: ConnectionState(lastPosition: 11)), inode: 5))
      #expect(table.fill(1, bytes(of: state), inode: 5))
      let next = try HandOverTable(existing: memory)
      #expect(next.slotCount == slots)
      #expect(try next.state(in: 1, inode: 5) == state)
      #expect(try next.state(in: 0, inode: 5) == nil)
      table.empty(1)
      #expect(try next.state(in: 1, inode: 5) == nil)
    }
  }

  @Test func aStateBelongsToOneSocket() throws {
    try withTable { table, memory in
      #expect(table.fill(2, bytes(of: state), inode: 5))
      #expect(throws: HandOverError.badChecksum) { try HandOverTable(existing: memory).state(in: 2, inode: 6) }
      #expect(throws: HandOverError.badValue("slot")) { try HandOverTable(existing: memory).state(in: 3, inode: 5) }
    }
  }

  @Test func aHalfWrittenStateIsRefused() throws {
    let before = bytes(of: ConnectionState(lastPosition: 11))
    let after = bytes(of: state)
    try withTable { table, memory in
      #expect(table.fill(0, before, inode: 5))
      let whole = Array(memory)
      #expect(table.fill(0, after, inode: 5))
      let last = Array(memory)
      // The daemon is killed after each byte that differs, in the order of writing: the state first.
      let differing = whole.indices.filter { whole[$0] != last[$0] }
      let stateStart = HandOverTable.headSize + HandOverTable.SlotOffset.state
      let order = differing.filter { $0 >= stateStart } + differing.filter { $0 < stateStart }
      memory.copyBytes(from: whole)
      for index in order.dropLast() {
        memory[index] = last[index]
        #expect(throws: HandOverError.badChecksum) { try HandOverTable(existing: memory).state(in: 0, inode: 5) }
      }
      memory[order.last ?? 0] = last[order.last ?? 0]
      let written = try HandOverTable(existing: memory).state(in: 0, inode: 5)
      #expect(written == state)
    }
  }

  @Test func aTableOfAnotherVersionIsRefused() throws {
    try withTable { table, memory in
      memory[HandOverTable.HeadOffset.version] = 9
      #expect(throws: HandOverError.otherVersion(9, expected: HandOverTable.version)) {
        try HandOverTable(existing: memory)
      }
      memory[HandOverTable.HeadOffset.version] = UInt8(HandOverTable.version)
      memory[HandOverTable.HeadOffset.slotCount] = 200
      #expect(throws: HandOverError.badChecksum) { try HandOverTable(existing: memory) }
      memory[HandOverTable.HeadOffset.slotCount] = UInt8(slots)
      let again = try HandOverTable(existing: memory)
      #expect(again.slotCount == slots)
      memory[HandOverTable.HeadOffset.magic] = 0
      #expect(throws: HandOverError.badValue("beginning")) { try HandOverTable(existing: memory) }
      for count in [0, HandOverTable.headSize - 1] {
        #expect(throws: HandOverError.endsEarly) {
          try HandOverTable(existing: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
        }
      }
    }
    try withTable { _, memory in
      #expect(throws: HandOverError.endsEarly) {
        try HandOverTable(existing: UnsafeMutableRawBufferPointer(rebasing: memory[..<(memory.count - 1)]))
      }
    }
  }

  @Test func aTooLargeStateEmptiesItsSlot() throws {
    try withTable { table, memory in
      #expect(table.fill(1, bytes(of: ConnectionState(lastPosition: 11)), inode: 5))
      let large = ConnectionState(wire: SuspendedConnection(output: [UInt8](repeating: 0, count: 2000)))
      #expect(!table.fill(1, bytes(of: large), inode: 5))
      let left = try HandOverTable(existing: memory).state(in: 1, inode: 5)
      #expect(left == nil)
    }
  }

  @Test func statesTooLargeForTheirSlotsFollowTheTable() throws {
    let large = (0..<3).map { index in
      ConnectionState(wire: SuspendedConnection(output: [UInt8](repeating: UInt8(index), count: 2000 * index)))
    }
    try withTable { table, memory in
      #expect(table.fill(0, bytes(of: large[0]), inode: 5))
      #expect(!table.fill(2, bytes(of: large[2]), inode: 7), "it fits")
      let tail = HandOverTable.tail([(1, 6, bytes(of: large[1])), (2, 7, bytes(of: large[2]))])
      table.setTailLength(tail.count)
      var whole = Array(memory) + tail
      try whole.withUnsafeMutableBytes { memory in
        let next = try HandOverTable(existing: memory)
        for slot in 0..<3 { #expect(try next.state(in: slot, inode: UInt64(5 + slot)) == large[slot]) }
        #expect(throws: HandOverError.badChecksum) { try next.state(in: 2, inode: 8) }
        // Once its connections are resumed, the tail is outdated.
        next.setTailLength(0)
        #expect(try next.state(in: 2, inode: 7) == nil)
      }
      whole.removeLast()
      table.setTailLength(tail.count)
      whole.replaceSubrange(0..<memory.count, with: memory)
      #expect(throws: HandOverError.endsEarly) {
        try whole.withUnsafeMutableBytes { memory in _ = try HandOverTable(existing: memory) }
      }
    }
  }

  @Test func descriptorNamesAreShortAndReadBack() {
    for slot in [0, 9, 10, 4095, 0xfffff] {
      let name = DescriptorName.connection(slot: slot)
      #expect(name.text.utf8.count <= 12)
      #expect(DescriptorName(name.text) == name)
    }
    #expect(DescriptorName(DescriptorName.table.text) == .table)
    for text in ["", "c.", "varlink", "c.-1", "c.01", "c.FF", "c.+1", "c.table2", "unknown", "cafe"] {
      #expect(DescriptorName(text) == nil, "\(text)")
    }
  }
}
