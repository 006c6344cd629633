// Connections that outlive the daemon.

import Platform

/// Keeps connections for the next daemon: their sockets in the service manager's store, their states in a table beside them.
///
/// A connection that is kept has a slot of the table, and its socket is stored under the slot's name. What the table says
/// and when is told at ``HandOverTable``.
final class HandOver {
  /// What the last daemon left of one connection.
  struct LeftConnection {
    let slot: Int
    /// The socket; whoever takes it owns it.
    let descriptor: Int32
    let state: ConnectionState
  }

  /// What the last daemon left.
  struct Left {
    var connections: [LeftConnection] = []
    /// How many connections could not be believed and were ended.
    var lost = 0
  }

  private let store: DescriptorStore
  private let memory: SharedMemory
  private let table: HandOverTable
  /// The slots that are free, the next one last.
  private var free: [Int]
  private var inodes: [Int: UInt64] = [:]
  /// States that are too large for their slots, until they are written.
  private var large: [(slot: Int, inode: UInt64, state: [UInt8])] = []

  /// Begins keeping, with a new table.
  ///
  /// - Throws: ``SystemError``.
  init(_ store: DescriptorStore) throws(SystemError) {
    self.store = store
    // One place is the table's own.
    let slots = store.capacity - 1
    memory = try SystemError.wrapping("make", "memory to hand over") { () throws(Errno) in
      try SharedMemory(name: "scrolld", size: HandOverTable.size(slotCount: slots))
    }
    table = HandOverTable(new: memory.bytes, slotCount: slots)
    free = Array((0..<slots).reversed())
    store.remove(.table)
    try store.keep(memory.borrowed.rawValue, as: .table)
  }

  /// Goes on with what the last daemon left.
  ///
  /// - Parameter left: The memory of its table.
  /// - Throws: ``SystemError`` or ``HandOverError`` when it can't be read.
  private init(_ store: DescriptorStore, left: consuming FileDescriptor) throws {
    self.store = store
    do { memory = try SharedMemory(left) } catch { throw SystemError("map", "memory that was handed over", error) }
    table = try HandOverTable(existing: memory.bytes)
    free = Array((0..<min(table.slotCount, store.capacity - 1)).reversed())
  }

  // MARK: From the last daemon

  /// Takes over what the last daemon left, and begins keeping for the next one.
  ///
  /// - Returns: What keeps from now on, and the connections that can go on. Those that can't are ended. `nil` where there is
  ///   no store, or it can't be used.
  static func begin(
    _ store: DescriptorStore?, _ passed: PassedDescriptors, journal: Journal
  ) -> (handOver: HandOver, left: Left)? {
    guard let store else {
      for connection in passed.connections { end(connection.descriptor) }
      for table in passed.tables { _ = FileDescriptor(table) }
      return nil
    }
    do {
      for table in passed.tables.dropFirst() { _ = FileDescriptor(table) }
      if let descriptor = passed.tables.first {
        do {
          let handOver = try HandOver(store, left: FileDescriptor(descriptor))
          return (handOver, handOver.takeOver(passed.connections, journal))
        } catch {
          journal.log(.savedConnectionsUnreadable(error))
        }
      }
      for connection in passed.connections {
        end(connection.descriptor)
        store.remove(.connection(slot: connection.slot))
      }
      return (try HandOver(store), Left(lost: passed.connections.count))
    } catch {
      journal.log(.handOverFailed(error))
      return nil
    }
  }

  private func takeOver(_ connections: [(slot: Int, descriptor: Int32)], _ journal: Journal) -> Left {
    var left = Left()
    var taken: Set<Int> = []
    for (slot, descriptor) in connections {
      do {
        let inode = try Self.inode(of: descriptor)
        if taken.insert(slot).inserted, let state = try table.state(in: slot, inode: inode) {
          inodes[slot] = inode
          left.connections.append(LeftConnection(slot: slot, descriptor: descriptor, state: state))
          continue
        }
      } catch {
        journal.log(.savedConnectionsUnreadable(error))
      }
      left.lost += 1
      Self.end(descriptor)
      store.remove(.connection(slot: slot))
    }
    free.removeAll { taken.contains($0) }
    return left
  }

  /// Ends a connection that can't go on, so that its peer notices although others hold the socket, too.
  private static func end(_ descriptor: Int32) {
    FileDescriptor(descriptor).borrowed.shutdownConnection()
  }

  // MARK: For the next daemon

  /// Begins to keep a connection.
  ///
  /// - Returns: Its slot, which is empty; `nil` when all are taken.
  /// - Throws: ``SystemError`` when the service manager doesn't listen.
  func keep(_ descriptor: Int32) throws(SystemError) -> Int? {
    guard let slot = free.last else { return nil }
    let inode = try Self.inode(of: descriptor)
    table.empty(slot)
    try store.keep(descriptor, as: .connection(slot: slot))
    free.removeLast()
    inodes[slot] = inode
    return slot
  }

  /// Lets a connection go; to be called after its socket was shut down and before it is closed.
  func letGo(_ slot: Int) {
    table.empty(slot)
    store.remove(.connection(slot: slot))
    inodes[slot] = nil
    free.append(slot)
  }

  /// A connection's socket is about to be touched.
  func noteBusy(_ slot: Int) { table.empty(slot) }

  /// A connection is at rest.
  func noteRest(_ slot: Int, _ state: [UInt8]) {
    guard let inode = inodes[slot] else { return }
    // One that is too large for its slot counts as busy: it survives only a stop in order.
    _ = table.fill(slot, state, inode: inode)
  }

  /// The last word on a connection, before the daemon ends in order.
  func leave(_ slot: Int, _ state: [UInt8]) {
    guard let inode = inodes[slot] else { return }
    if !table.fill(slot, state, inode: inode) { large.append((slot, inode, state)) }
  }

  /// Writes the states that are too large for their slots.
  ///
  /// - Throws: ``SystemError``; then these connections end with the daemon.
  func finishLeaving() throws(SystemError) {
    let tail = HandOverTable.tail(large)
    try SystemError.wrapping("write to", "memory to hand over") { () throws(Errno) in
      try memory.write(tail, at: HandOverTable.size(slotCount: table.slotCount))
    }
    table.setTailLength(tail.count)
  }

  /// What the last daemon left behind the slots is no longer true, since its connections go on now.
  func forgetLeft() { table.setTailLength(0) }

  private static func inode(of descriptor: Int32) throws(SystemError) -> UInt64 {
    let status = try SystemError.wrapping("look at", "a connection") { () throws(Errno) in
      try FileStatus(BorrowedDescriptor(descriptor))
    }
    guard status.kind == .socket else { throw SystemError("take over", "a descriptor that is no socket", .notSocket) }
    return status.inode
  }
}
