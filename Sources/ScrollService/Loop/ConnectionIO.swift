import Platform

/// What the sockets need from the service.
protocol ConnectionService: AnyObject {
  func connect(_ peer: Peer, descriptors: Int) -> ConnectionID?
  func receive(_ bytes: UnsafeRawBufferPointer, on id: ConnectionID)
  func receiveEnd(on id: ConnectionID)
  func disconnect(_ id: ConnectionID)
  func wantsInput(on id: ConnectionID) -> Bool
  func receiptLimit(of id: ConnectionID) -> Int
  func socketNeeds(of id: ConnectionID) -> SocketNeeds
  func withOutput<Result>(of id: ConnectionID, _ body: (UnsafeRawBufferPointer) -> Result) -> Result?
  func consumeOutput(_ count: Int, of id: ConnectionID)
}

/// What a connection needs of its socket.
struct SocketNeeds {
  /// Whether the connection has ended, so that the socket is closed.
  var isFinished: Bool
  /// Whether the sending side is shut down, and the socket is received from until the connection ends.
  var hasSentLastReply: Bool
  /// Whether more may be received. Otherwise the socket is paused.
  var wantsInput: Bool
  /// Whether the peer has ended its side or violated the protocol, so that nothing more is received.
  var hasEnded: Bool
  /// Whether the user has so many connections that others are received from first.
  var isCrowded: Bool

  /// What a connection needs that is gone.
  static let none = SocketNeeds(
    isFinished: true, hasSentLastReply: false, wantsInput: false, hasEnded: true, isCrowded: false)
}

extension Service: ConnectionService {}

/// The sockets of all connections: accepts, receives and sends.
final class ConnectionIO {
  /// How many connections are accepted before other events are looked at.
  private static let acceptsPerDispatch = 8
  /// How often paused connections are looked at while the service is busy, in microseconds.
  private static let lookInterval: Int64 = 5000

  private let service: any ConnectionService
  private let poll: LoopPoll
  private let journal: LimitedJournal
  private let descriptorLimit: DescriptorLimit
  /// Keeps connections for the next daemon; `nil` without a descriptor store.
  private let keeper: ConnectionKeeper?
  private var listening: ListeningSocket?
  /// Whether the loop watches for clients that want to connect.
  private var isAccepting = false
  private var sockets = ConnectionTable<ConnectionSocket>()
  /// The connections from which nothing is received for now.
  private var paused: Set<ConnectionID> = []
  /// The connections that were received from or sent to, and that are not watched yet for what follows.
  private var touched: [ConnectionID] = []
  /// When paused connections are looked at again, by the monotonic clock in microseconds.
  private var nextLook: Int64 = 0
  private var isStopping = false
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: BufferMemory.largestReceipt, alignment: 16)

  /// - Throws: ``SystemError``.
  init(
    _ service: any ConnectionService, _ listening: consuming ListeningSocket, _ keeper: ConnectionKeeper?,
    _ poll: LoopPoll, journal: Journal
  ) throws {
    self.service = service
    self.keeper = keeper
    self.poll = poll
    self.journal = LimitedJournal(journal, .system)
    descriptorLimit = try DescriptorLimit()
    try poll.watchListener(BorrowedDescriptor(listening.rawValue))
    isAccepting = true
    self.listening = consume listening
  }

  deinit {
    chunk.deallocate()
  }

  // MARK: Beginning and end

  /// Serves the connections of the previous daemon.
  func resume(_ inherited: HandOver.Inherited) {
    guard let keeper else { return }
    keeper.resume(inherited) { id, descriptor, slot in
      let socket = ConnectionSocket(id: id, FileDescriptor(descriptor))
      socket.slot = slot
      // Its first turn may change its state: calls may be waiting, or news for its stream.
      keeper.willUse(socket)
      serve(socket)
      keeper.didUse(socket)
    }
  }

  /// Accepts connections again after a failure, and logs how many failures were only counted. The loop calls it every few
  /// seconds.
  func tick() {
    journal.tick(ServiceClock.system.monotonic())
    resumeAccepting()
  }

  /// Accepts connections again after a failure, such as a lack of descriptors.
  private func resumeAccepting() {
    guard !isAccepting, !isStopping, let listener = listening?.rawValue else { return }
    do throws(SystemError) {
      try poll.watchListener(BorrowedDescriptor(listener))
      isAccepting = true
    } catch {
      // The next tick attempts it again.
      journal.log(.connectionFailed(error))
    }
  }

  private func pauseAccepting() {
    guard isAccepting, let listener = listening?.rawValue else { return }
    isAccepting = false
    poll.ignoreListener(BorrowedDescriptor(listener))
  }

  /// Stops accepting connections and receiving input, and leaves the rest to the next daemon.
  func stop() {
    isStopping = true
    pauseAccepting()
    for socket in Array(sockets.values) { settle(socket) }
  }

  /// Closes all connections except for those that are handed over to the next daemon.
  ///
  /// - Parameter isClean: Whether the service has stopped cleanly.
  func finish(isClean: Bool) {
    let kept = keeper?.finish(sockets.values, isClean: isClean) ?? []
    for id in kept { _ = sockets.remove(id) }
    for id in Array(sockets.ids) { close(id) }
    if let listening = listening.take() { listening.stop() }
  }

  /// Marks connections busy, since their states for the next daemon have changed.
  func markBusy(_ ids: some Sequence<ConnectionID>) {
    guard let keeper else { return }
    for id in ids { if let socket = sockets[id] { keeper.willUse(socket) } }
  }

  /// Writes the state of a connection for the next daemon, if it has become idle.
  func keepIdle(_ id: ConnectionID) {
    if let keeper, let socket = sockets[id] { keeper.didUse(socket) }
  }

  /// Begins to keep the connections that are not kept yet.
  func keepRemaining() {
    guard let keeper else { return }
    for socket in sockets.values where socket.slot == nil { keeper.didUse(socket) }
  }

  // MARK: Accepting

  /// Accepts some connections. The existing ones get their turn before the next ones.
  func acceptSome() {
    guard isAccepting, let listener = listening?.rawValue else { return }
    do throws(Errno) {
      for _ in 0..<Self.acceptsPerDispatch { admit(try BorrowedDescriptor(listener).accept()) }
    } catch {
      if error == .wouldBlock || error == .connectionAborted { return }
      // Out of descriptors or memory: waiting clients are accepted once some are available again.
      journal.log(.connectionFailed(SystemError("accept a connection", error)))
      pauseAccepting()
    }
  }

  /// Takes over a descriptor that accept(2) returned. It is a bare number here, since Swift 6.0's optimiser fails where
  /// an owned one is passed on in some cases and not in others.
  private func admit(_ descriptor: Int32) {
    guard let id = connect(descriptor) else { return refuse(FileDescriptor(descriptor)) }
    serve(ConnectionSocket(id: id, FileDescriptor(descriptor)))
  }

  /// Offers a connection to the service; `nil` when it is refused.
  private func connect(_ descriptor: Int32) -> ConnectionID? {
    do {
      try SystemError.wrapping("change the flags of", "a descriptor") { () throws(Errno) in
        try BorrowedDescriptor(descriptor).setNonBlocking()
      }
      let peer = try Peer(socket: descriptor)
      return service.connect(peer, descriptors: descriptorLimit.connections)
    } catch {
      journal.log(.connectionFailed(error))
      return nil
    }
  }

  private func refuse(_ descriptor: consuming FileDescriptor) {
    descriptor.borrowed.shutdownConnection()
  }

  private func serve(_ socket: ConnectionSocket) {
    sockets.insert(socket, for: socket.id)
    watch(socket, ConnectionSocket.Watch(interest: .input, isCrowded: false))
  }

  /// Sets what a socket is watched for, or closes the connection if the system lacks memory for that.
  private func watch(_ socket: ConnectionSocket, _ watch: ConnectionSocket.Watch?) {
    do throws(SystemError) {
      try poll.set(socket, watch)
    } catch {
      journal.log(.connectionFailed(error))
      close(socket.id)
    }
  }

  // MARK: Receiving and sending

  /// Receives or sends on a connection that is ready for it. It may have been closed since that was reported.
  func ready(_ id: ConnectionID, _ readiness: DescriptorPoll.Readiness) {
    guard let socket = sockets[id] else { return }
    if readiness.contains(.output) { send(id) }
    if readiness.contains(.input) {
      receive(socket)
    } else if !readiness.isDisjoint(with: .end) {
      // Closed in both directions: nobody reads the answers.
      close(id)
    }
  }

  private func receive(_ socket: ConnectionSocket) {
    // Another connection's calls may just have paused this one.
    guard service.wantsInput(on: socket.id) else { return settle(socket) }
    let room = min(chunk.count, service.receiptLimit(of: socket.id))
    keeper?.willUse(socket)
    // recv(2) takes no descriptors, so the kernel closes those that a peer sends.
    do throws(Errno) {
      let count = try socket.borrowed.receive(into: UnsafeMutableRawBufferPointer(rebasing: chunk[..<room]))
      if count > 0 {
        service.receive(UnsafeRawBufferPointer(rebasing: chunk[..<count]), on: socket.id)
      } else {
        service.receiveEnd(on: socket.id)
      }
    } catch {
      if error != .wouldBlock { return close(socket.id) }
    }
    // The calls are handled after this, and most connections can then be read again at once.
    touch(socket)
  }

  private func touch(_ socket: ConnectionSocket) {
    if socket.isTouched { return }
    socket.isTouched = true
    touched.append(socket.id)
  }

  /// Records that a connection had a turn, so that it is to be watched for what follows.
  func touch(_ id: ConnectionID) { if let socket = sockets[id] { touch(socket) } }

  /// Watches the connections that were received from or sent to, or had a turn, for what follows.
  func settleTouched() {
    for id in touched {
      guard let socket = sockets[id] else { continue }
      socket.isTouched = false
      settle(socket)
      if sockets[id] != nil { keeper?.didUse(socket) }
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Sends as much of a connection's output as the kernel accepts.
  func send(_ id: ConnectionID) {
    guard let socket = sockets[id] else { return }
    do throws(Errno) {
      while let count = try sendOnce(socket), count > 0 { service.consumeOutput(count, of: id) }
    } catch {
      guard error == .wouldBlock else { return close(id) }
      socket.isFull = true
      settle(socket)
      return
    }
    socket.isFull = false
    touch(socket)
  }

  /// Sends output once.
  ///
  /// - Returns: How many bytes were sent; 0 or `nil` when there is no output.
  private func sendOnce(_ socket: ConnectionSocket) throws(Errno) -> Int? {
    let sent = service.withOutput(of: socket.id) { bytes in
      Result { () throws(Errno) in
        if bytes.isEmpty { return 0 }
        keeper?.willUse(socket)
        return try socket.borrowed.send(bytes)
      }
    }
    return try sent?.get()
  }

  /// Closes a connection that has ended. Otherwise watches its socket for the events that it needs.
  private func settle(_ socket: ConnectionSocket) {
    let needs = service.socketNeeds(of: socket.id)
    if needs.isFinished { return close(socket.id) }
    if needs.hasSentLastReply, !socket.hasEndedSending {
      socket.hasEndedSending = true
      // A peer that is gone needs no end.
      try? socket.borrowed.shutdownSending()
    }
    let isPaused = !needs.wantsInput && !needs.hasEnded
    if isPaused { paused.insert(socket.id) } else if !paused.isEmpty { paused.remove(socket.id) }
    var interest: DescriptorPoll.Readiness = []
    if needs.wantsInput { interest.insert(.input) }
    if socket.isFull { interest.insert(.output) }
    // While a connection is paused, epoll would keep reporting that its peer has hung up.
    let isIgnored = isPaused && interest.isEmpty
    watch(socket, isIgnored ? nil : ConnectionSocket.Watch(interest: interest, isCrowded: needs.isCrowded))
  }

  /// Receives again from connections that are no longer paused by the service.
  ///
  /// - Parameter isBusy: Whether the service has work, so that the connections are looked at only now and then.
  func resumePaused(isBusy: @autoclosure () -> Bool) {
    if paused.isEmpty { return }
    let now = Clock.monotonicMicroseconds()
    if isBusy(), now < nextLook { return }
    nextLook = now + Self.lookInterval
    for id in paused where service.wantsInput(on: id) {
      if let socket = sockets[id] { settle(socket) }
    }
  }

  /// Lets the next call of ``resumePaused(isBusy:)`` look at all paused connections.
  func resumeAllPaused() { nextLook = 0 }

  private func unwatch(_ socket: ConnectionSocket) {
    // A socket is removed from a poll without an error.
    try? poll.set(socket, nil)
  }

  private func close(_ id: ConnectionID) {
    guard let socket = sockets.remove(id) else { return }
    paused.remove(id)
    unwatch(socket)
    // The peer sees the end even if another process holds a copy of the descriptor.
    socket.borrowed.shutdownConnection()
    keeper?.release(socket)
    service.disconnect(id)
    // A descriptor is free for the next connection.
    resumeAccepting()
  }
}

/// The limit on open file descriptors, and the number of connections that it suffices for.
struct DescriptorLimit {
  /// How many descriptors the rest of the daemon needs: the active segment, the next one, directories, timers, signals.
  private static let reserve = 24
  /// How many descriptors a connection may need: its socket, and the segment that its stream reads.
  private static let perConnection = 2

  /// The maximum number of connections, which leaves enough descriptors for the log.
  let connections: Int

  /// Raises the process's limit as far as permitted (setrlimit(2)).
  ///
  /// - Throws: ``SystemError`` when the limit can't be read.
  init() throws(SystemError) {
    let limit = try SystemError.wrapping("ask for the limit of", "file descriptors") { () throws(Errno) in
      try CurrentProcess.raiseDescriptorLimit()
    }
    connections = max(0, limit - Self.reserve) / Self.perConnection
  }
}
