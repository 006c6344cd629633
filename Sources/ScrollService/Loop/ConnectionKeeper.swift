import Platform

/// What the hand-over of connections needs from the service.
protocol HandOverService: AnyObject {
  func isWorthKeeping(_ id: ConnectionID) -> Bool
  func idleState(of id: ConnectionID) -> ConnectionState?
  func finalState(of id: ConnectionID) -> ConnectionState?
  func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID?
  func countLostConnections(_ count: Int)
}

extension Service: HandOverService {}

/// Keeps connections for the next daemon: their sockets in the service manager's store, their states in a table.
///
/// A connection is *busy* from the moment its socket is used until its state is written again. Idle connections survive
/// a crash; all connections that can be resumed survive a clean shutdown.
final class ConnectionKeeper {
  /// How many connections are stored between two ticks at most. systemd compares each of them with all the others in
  /// its store, so a flood of short connections would keep it busy.
  private static let additionsPerTick = 256

  private let service: any HandOverService
  private let handOver: HandOver
  private let journal: Journal
  private var busy: Set<ConnectionID> = []
  private var additionsLeft = ConnectionKeeper.additionsPerTick
  /// Whether the service manager accepts descriptors.
  private var canKeep = true
  private var state = StateWriter()

  init(_ service: any HandOverService, _ handOver: HandOver, journal: Journal) {
    self.service = service
    self.handOver = handOver
    self.journal = journal
  }

  /// The kept connections whose states are not written, because they were busy.
  var busyConnections: [ConnectionID] { Array(busy) }

  /// Permits the next connections to be stored.
  func tick() { additionsLeft = Self.additionsPerTick }

  // MARK: From the previous daemon

  /// Resumes the connections of the previous daemon, and ends those that can't be resumed.
  ///
  /// - Parameter serve: Takes over a connection's descriptor and slot.
  func resume(_ inherited: HandOver.Inherited, _ serve: (ConnectionID, _ descriptor: Int32, _ slot: Int) -> Void) {
    var resumed = 0
    var lost = inherited.lost
    for connection in inherited.connections {
      if let id = resume(connection) {
        serve(id, connection.descriptor, connection.slot)
        resumed += 1
      } else {
        lost += 1
        BorrowedDescriptor(connection.descriptor).shutdownConnection()
        handOver.release(connection.slot)
        _ = FileDescriptor(connection.descriptor)
      }
    }
    handOver.discardLargeStates()
    service.countLostConnections(lost)
    if lost + resumed > 0 { journal.log(.takenOver(resumed, lost: lost)) }
  }

  private func resume(_ connection: HandOver.InheritedConnection) -> ConnectionID? {
    do {
      return service.resume(connection.state, try Peer(socket: connection.descriptor))
    } catch {
      journal.log(.connectionFailed(error))
      return nil
    }
  }

  // MARK: While connections are used

  /// Marks a connection busy: its socket is about to be used.
  func willUse(_ socket: ConnectionSocket) {
    guard let slot = socket.slot, busy.insert(socket.id).inserted else { return }
    handOver.markBusy(slot)
  }

  /// Writes the state of a connection if it is idle. After its first call, its socket is stored, too.
  func didUse(_ socket: ConnectionSocket) {
    if socket.slot == nil, additionsLeft > 0, service.isWorthKeeping(socket.id) {
      additionsLeft -= 1
      keep(socket)
    }
    guard let slot = socket.slot, let state = service.idleState(of: socket.id) else { return }
    handOver.markIdle(slot, encode(state))
    busy.remove(socket.id)
  }

  /// Releases the slot of a connection that is being closed.
  func release(_ socket: ConnectionSocket) {
    busy.remove(socket.id)
    if let slot = socket.slot { handOver.release(slot) }
  }

  private func keep(_ socket: ConnectionSocket) {
    guard socket.slot == nil, canKeep else { return }
    do {
      socket.slot = try handOver.add(socket.rawValue)
      if socket.slot != nil { busy.insert(socket.id) }
    } catch {
      // The next connection would fail in the same way, so this is logged once.
      canKeep = false
      journal.log(.handOverFailed(error))
    }
  }

  private func encode(_ state: ConnectionState) -> [UInt8] {
    self.state.removeAll()
    state.write(to: &self.state)
    return self.state.bytes
  }

  // MARK: For the next daemon

  /// Hands connections over to the next daemon.
  ///
  /// - Parameter isClean: Whether the service has stopped cleanly. After a failure, only idle connections can be handed
  ///   over.
  /// - Returns: The connections that are handed over. Their sockets must not be shut down.
  func finish(_ sockets: some Collection<ConnectionSocket>, isClean: Bool) -> [ConnectionID] {
    guard isClean else { return sockets.filter { $0.slot != nil && !busy.contains($0.id) }.map(\.id) }
    var kept: [ConnectionID] = []
    for socket in sockets {
      keep(socket)
      guard let slot = socket.slot, let state = service.finalState(of: socket.id) else { continue }
      handOver.writeFinalState(slot, encode(state))
      kept.append(socket.id)
    }
    do {
      try handOver.writeLargeStates()
    } catch {
      journal.log(.handOverFailed(error))
    }
    if !sockets.isEmpty { journal.log(.handedOver(kept.count, ended: sockets.count - kept.count)) }
    return kept
  }
}
