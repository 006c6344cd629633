import Platform
import ScrollLog

/// The hand-over of connections to the next daemon: their sockets in the service manager's store, their states in a
/// table.
///
/// Each connection that is handed over has a slot in the table, and its socket is stored under the slot's name.
/// ``HandOverTable`` describes which states are in the table at what time.
final class HandOver {
  /// A connection of the previous daemon.
  struct InheritedConnection {
    let slot: Int
    /// The socket, which has no owner yet.
    let descriptor: Int32
    let state: ConnectionState
  }

  /// The connections of the previous daemon.
  struct Inherited {
    var connections: [InheritedConnection] = []
    /// The number of connections that were ended, because their states were missing or malformed.
    var lost = 0

    /// The last position that a subscriber has seen; `nil` without subscribers. It is in the log, unless the log has
    /// been damaged since.
    var seen: SeenPosition? {
      connections.lazy.compactMap { connection in
        guard case .subscription(let state) = connection.state.stream else { return nil }
        return SeenPosition(generation: state.generation, position: state.position)
      }.max { ($0.generation, $0.position) < ($1.generation, $1.position) }
    }
  }

  private let store: DescriptorStore
  private let memory: SharedMemory
  private let table: HandOverTable
  /// The free slots, the next one last.
  private var free: [Int]
  private var inodes: [Int: UInt64] = [:]
  /// The final states that are too large for their slots, until they are written.
  private var large: [(slot: Int, inode: UInt64, state: [UInt8])] = []

  /// Begins with a new table.
  ///
  /// - Throws: ``SystemError``.
  init(_ store: DescriptorStore) throws(SystemError) {
    self.store = store
    // The table itself takes one place.
    let slots = store.capacity - 1
    memory = try SystemError.wrapping("make", "memory to hand over") { () throws(Errno) in
      try SharedMemory(name: "scrolld", size: HandOverTable.size(slotCount: slots))
    }
    table = HandOverTable(new: memory.bytes, slotCount: slots)
    free = Array((0..<slots).reversed())
    store.remove(.table)
    try store.add(memory.borrowed.rawValue, as: .table)
  }

  /// Continues the table of the previous daemon.
  ///
  /// - Parameter tableMemory: The memory of its table.
  /// - Throws: ``SystemError`` or ``HandOverError`` when it can't be read.
  private init(_ store: DescriptorStore, tableMemory: consuming FileDescriptor) throws {
    self.store = store
    do { memory = try SharedMemory(tableMemory) } catch {
      throw SystemError("map", "memory that was handed over", error)
    }
    table = try HandOverTable(existing: memory.bytes)
    free = Array((0..<min(table.slotCount, store.capacity - 1)).reversed())
  }

  // MARK: From the previous daemon

  /// Takes over the connections of the previous daemon, and begins the hand-over to the next one.
  ///
  /// - Returns: The hand-over, and the connections that can be resumed; the others are ended. `nil` if there is no
  ///   store, or it can't be used.
  static func begin(
    _ store: DescriptorStore?, _ passed: PassedDescriptors, journal: Journal
  ) -> (handOver: HandOver, inherited: Inherited)? {
    guard let store else {
      for connection in passed.connections { end(connection.descriptor) }
      for table in passed.tables { _ = FileDescriptor(table) }
      return nil
    }
    do {
      for table in passed.tables.dropFirst() { _ = FileDescriptor(table) }
      if let descriptor = passed.tables.first {
        do {
          let handOver = try HandOver(store, tableMemory: FileDescriptor(descriptor))
          return (handOver, handOver.takeOver(passed.connections, journal))
        } catch {
          journal.log(.savedConnectionsUnreadable(error))
        }
      }
      for connection in passed.connections {
        end(connection.descriptor)
        store.remove(.connection(slot: connection.slot))
      }
      return (try HandOver(store), Inherited(lost: passed.connections.count))
    } catch {
      journal.log(.handOverFailed(error))
      return nil
    }
  }

  private func takeOver(_ connections: [(slot: Int, descriptor: Int32)], _ journal: Journal) -> Inherited {
    var inherited = Inherited()
    var taken: Set<Int> = []
    for (slot, descriptor) in connections {
      do {
        let inode = try Self.inode(of: descriptor)
        if taken.insert(slot).inserted, let state = try table.state(in: slot, inode: inode) {
          inodes[slot] = inode
          inherited.connections.append(InheritedConnection(slot: slot, descriptor: descriptor, state: state))
          continue
        }
      } catch {
        journal.log(.savedConnectionsUnreadable(error))
      }
      inherited.lost += 1
      Self.end(descriptor)
      store.remove(.connection(slot: slot))
    }
    free.removeAll { taken.contains($0) }
    return inherited
  }

  /// Ends a connection that can't be resumed. Its peer notices even though the service manager still has the socket.
  private static func end(_ descriptor: Int32) {
    FileDescriptor(descriptor).borrowed.shutdownConnection()
  }

  // MARK: For the next daemon

  /// Stores a connection's socket.
  ///
  /// - Returns: The connection's slot, which is empty; `nil` when none is free.
  /// - Throws: ``SystemError`` when the service manager doesn't listen.
  func add(_ descriptor: Int32) throws(SystemError) -> Int? {
    guard let slot = free.last else { return nil }
    let inode = try Self.inode(of: descriptor)
    table.empty(slot)
    try store.add(descriptor, as: .connection(slot: slot))
    free.removeLast()
    inodes[slot] = inode
    return slot
  }

  /// Releases a connection's slot, after the socket was shut down and before it is closed.
  func release(_ slot: Int) {
    table.empty(slot)
    store.remove(.connection(slot: slot))
    inodes[slot] = nil
    free.append(slot)
  }

  /// Marks a connection busy, before its socket is used.
  func markBusy(_ slot: Int) { table.empty(slot) }

  /// Marks a connection idle, and writes its state.
  func markIdle(_ slot: Int, _ state: [UInt8]) {
    guard let inode = inodes[slot] else { return }
    // A connection whose state is too large for its slot counts as busy: it survives only a clean shutdown.
    _ = table.fill(slot, state, inode: inode)
  }

  /// Writes the final state of a connection, during a clean shutdown.
  func writeFinalState(_ slot: Int, _ state: [UInt8]) {
    guard let inode = inodes[slot] else { return }
    if !table.fill(slot, state, inode: inode) { large.append((slot, inode, state)) }
  }

  /// Writes the final states that are too large for their slots.
  ///
  /// - Throws: ``SystemError``; then these connections end with the daemon.
  func writeLargeStates() throws(SystemError) {
    let tail = HandOverTable.tail(large)
    try SystemError.wrapping("write to", "memory to hand over") { () throws(Errno) in
      try memory.write(tail, at: HandOverTable.size(slotCount: table.slotCount))
    }
    table.setTailLength(tail.count)
  }

  /// Discards the previous daemon's large states, which are outdated once their connections are resumed.
  func discardLargeStates() { table.setTailLength(0) }

  private static func inode(of descriptor: Int32) throws(SystemError) -> UInt64 {
    let status = try SystemError.wrapping("look at", "a connection") { () throws(Errno) in
      try FileStatus(BorrowedDescriptor(descriptor))
    }
    guard status.kind == .socket else { throw SystemError("take over", "a descriptor that is no socket", .notSocket) }
    return status.inode
  }
}
