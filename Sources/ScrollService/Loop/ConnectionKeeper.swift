import Platform

/// What keeping connections needs of the service.
protocol HandOverService: AnyObject {
  func isWorthKeeping(_ id: ConnectionID) -> Bool
  func idleState(of id: ConnectionID) -> ConnectionState?
  func finalState(of id: ConnectionID) -> ConnectionState?
  func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID?
  func countLostConnections(_ count: Int)
}

extension Service: HandOverService {}

/// Keeps connections for the next daemon: the service manager stores their sockets, a table their states.
///
/// A connection is *busy* from the moment its socket is used until its state is written again. After a crash, only idle
/// connections survive; after a clean stop, all that can be resumed.
final class ConnectionKeeper {
  /// How many connections begin to be kept between two ticks. systemd compares each with all that it holds, and a flood of
  /// short connections must not keep it busy.
  private static let keepsPerTick = 256

  private let service: any HandOverService
  private let handOver: HandOver
  private let journal: Journal
  private var busy: Set<ConnectionID> = []
  private var keepsLeft = ConnectionKeeper.keepsPerTick
  /// Whether the service manager accepts descriptors.
  private var canKeep = true
  private var state = StateWriter()

  init(_ service: any HandOverService, _ handOver: HandOver, journal: Journal) {
    self.service = service
    self.handOver = handOver
    self.journal = journal
  }

  /// The connections that are kept and were not idle when last looked at.
  var busyConnections: [ConnectionID] { Array(busy) }

  /// Lets more connections begin to be kept.
  func tick() { keepsLeft = Self.keepsPerTick }

  // MARK: From the last daemon

  /// Resumes the connections that the last daemon left, and ends those that can't be resumed.
  ///
  /// - Parameter serve: Takes over a connection's descriptor, with its slot.
  func resume(_ left: HandOver.Left, _ serve: (ConnectionID, _ descriptor: Int32, _ slot: Int) -> Void) {
    var resumed = 0
    var lost = left.lost
    for connection in left.connections {
      if let id = resume(connection) {
        serve(id, connection.descriptor, connection.slot)
        resumed += 1
      } else {
        lost += 1
        BorrowedDescriptor(connection.descriptor).shutdownConnection()
        handOver.letGo(connection.slot)
        _ = FileDescriptor(connection.descriptor)
      }
    }
    handOver.forgetLeft()
    service.countLostConnections(lost)
    if lost + resumed > 0 { journal.log(.takenOver(resumed, lost: lost)) }
  }

  private func resume(_ connection: HandOver.LeftConnection) -> ConnectionID? {
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
    handOver.noteBusy(slot)
  }

  /// Writes the state of a connection if it is idle, and begins to keep it after its first call.
  func didUse(_ socket: ConnectionSocket) {
    if socket.slot == nil, keepsLeft > 0, service.isWorthKeeping(socket.id) {
      keepsLeft -= 1
      keep(socket)
    }
    guard let slot = socket.slot, let state = service.idleState(of: socket.id) else { return }
    handOver.noteRest(slot, encode(state))
    busy.remove(socket.id)
  }

  /// Forgets a connection that is being closed.
  func release(_ socket: ConnectionSocket) {
    busy.remove(socket.id)
    if let slot = socket.slot { handOver.letGo(slot) }
  }

  private func keep(_ socket: ConnectionSocket) {
    guard socket.slot == nil, canKeep else { return }
    do {
      socket.slot = try handOver.keep(socket.rawValue)
      if socket.slot != nil { busy.insert(socket.id) }
    } catch {
      // Logged once: it would be the same for the next connection.
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

  /// Leaves connections to the next daemon.
  ///
  /// - Parameter isClean: Whether the service has stopped cleanly. After a failure, only the states of idle connections
  ///   are true.
  /// - Returns: The connections that are left, and whose sockets must not be shut down.
  func leave(_ sockets: some Collection<ConnectionSocket>, isClean: Bool) -> [ConnectionID] {
    guard isClean else { return sockets.filter { $0.slot != nil && !busy.contains($0.id) }.map(\.id) }
    var left: [ConnectionID] = []
    for socket in sockets {
      keep(socket)
      guard let slot = socket.slot, let state = service.finalState(of: socket.id) else { continue }
      handOver.leave(slot, encode(state))
      left.append(socket.id)
    }
    do {
      try handOver.finishLeaving()
    } catch {
      journal.log(.handOverFailed(error))
    }
    if !sockets.isEmpty { journal.log(.handedOver(left.count, ended: sockets.count - left.count)) }
    return left
  }
}
