// The loop: sockets, signals and the commit thread, around a service that does no I/O.

import CSystemd
import Glibc
import ScrollLog

/// The loop: a thin shell of sd-event(3) sources around a ``Service``.
///
/// Every turn dispatches one source and then lets the service's output out: jobs to the commit thread, bytes to sockets.
final class EventLoop {
  private let service: Service
  private let journal: Journal
  private let notifier: Notifier
  /// What keeps connections for the next daemon; `nil` where nobody would hold them.
  private let handOver: HandOver?
  private let descriptorLimit: DescriptorLimit
  private var listening: ListeningSocket?
  private var commitThread: CommitThread?
  /// Removes and forgets, which somebody may wait for.
  private var upkeepThread: UpkeepThread?
  /// Packs.
  private var packingThread: UpkeepThread?
  private let event: OpaquePointer
  private let wakeDescriptor: FileDescriptor
  private var sources: [EventSource] = []
  private var listeningSource: EventSource?
  private var timer: EventSource?
  private var watchdogTimer: EventSource?
  /// A job that does nothing is on its way through the commit thread, to show that thread and loop are alive.
  private var isProbing = false
  /// Makes a turn when the service has something to do at a time.
  private var wakeTimer: EventSource?
  private var sockets: [UInt64: ConnectionSocket] = [:]
  /// Connections that are not received from for now, since their peers have to wait.
  private var paused: Set<UInt64> = []
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Service.largestReceipt, alignment: 16)
  /// Connections that are kept and were not at rest when last looked at.
  private var busy: Set<UInt64> = []
  /// How many more connections may begin to be kept before the next tick.
  private var keepsLeft = EventLoop.keepsPerTick
  /// The service manager takes what it is given to keep.
  private var canKeep = true
  /// A commit came back, so that more connections may be at rest.
  private var hasCommitted = false
  private var restingState = StateWriter()
  private var end: ServiceEnd?
  private var isStopping = false
  private var lastStatus = ""
  private var lastTroubles: Service.Troubles = []

  /// How often the service is told that time passes, in microseconds.
  private static let tickInterval: UInt64 = 5_000_000
  /// How many connections begin to be kept between two ticks, at most: systemd compares each with all that it holds, and a
  /// flood of short connections must not keep it busy.
  private static let keepsPerTick = 256

  /// A loop that serves on a socket and writes to a log.
  ///
  /// - Throws: ``SystemError`` when the system lacks the means.
  init(
    _ service: Service, _ listening: consuming ListeningSocket, _ log: OpenedLog, _ notifier: Notifier,
    _ handOver: HandOver?, journal: Journal
  ) throws {
    self.service = service
    self.notifier = notifier
    self.handOver = handOver
    self.journal = journal
    descriptorLimit = try DescriptorLimit()
    var event: OpaquePointer?
    try check(sd_event_new(&event), "make an event loop")
    guard let event else { throw SystemError("make an event loop", "", code: ENOMEM) }
    self.event = event
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last("make an event descriptor") }
    wakeDescriptor = FileDescriptor(descriptor)
    let listeningDescriptor = listening.rawValue
    self.listening = consume listening
    commitThread = try CommitThread(log.writer) { eventfd_write(descriptor, 1) }
    upkeepThread = try UpkeepThread(log.upkeep, isNice: false) { eventfd_write(descriptor, 1) }
    packingThread = try UpkeepThread(log.upkeep, isNice: true) { eventfd_write(descriptor, 1) }
    let results = try EventSource(event, reading: descriptor) { [unowned self] _ in takeResults() }
    // There are few at a time, and answers wait for them: they are not to get in line behind whoever floods the daemon.
    results.setUrgency(.first)
    sources.append(results)
    listeningSource = try EventSource(event, reading: listeningDescriptor) { [unowned self] _ in acceptNext() }
    for signal in StopSignals.all {
      sources.append(try EventSource(event, signal: signal) { [unowned self] in stop() })
    }
    sources.append(try EventSource(event, signal: SIGHUP) { [unowned self] in reload() })
    timer = try EventSource(event, every: Self.tickInterval) { [unowned self] in tick() }
    if let interval = notifier.watchdogInterval {
      watchdogTimer = try EventSource(event, every: interval / 2) { [unowned self] in probe() }
    }
    // The turn that follows does what is due.
    wakeTimer = try EventSource(event, timer: {})
  }

  deinit {
    chunk.deallocate()
  }

  /// Serves until a signal or a failure ends it.
  ///
  /// - Returns: How it ended.
  func run() throws -> ServiceEnd {
    notifier.ready(status: service.statusLine)
    while true {
      let result = sd_event_run(event, service.hasWork ? 0 : UInt64.max)
      if result < 0, result != -EINTR { throw SystemError("wait for events", "", code: -result) }
      turn()
      if let end {
        finish(end)
        return end
      }
    }
  }

  // MARK: Turns

  /// Lets out what the service has for the outside.
  private func turn() {
    service.advanceStreams()
    if let job = service.nextJob() { commitThread?.submit(job) }
    if let job = service.nextUpkeep() { submit(job) }
    // It begins anew when the others are done.
    if service.isPackingInTheWay { packingThread?.cancelPacking() }
    for id in service.takeDirty() { send(id) }
    resumePaused()
    if let due = service.nextDue { wakeTimer?.setTime(UInt64(clamping: due)) }
    noteResting()
    // The rest of the status may be some seconds old, but not that something is wrong, or right again.
    if service.troubles != lastTroubles { tellStatus() }
  }

  /// Hands a job to the thread for it. The service gives one at a time, so the two never work at once.
  private func submit(_ job: UpkeepJob) {
    guard case .pack = job else {
      upkeepThread?.submit(job)
      return
    }
    packingThread?.allowPacking()
    packingThread?.submit(job)
  }

  private func takeResults() {
    var count: eventfd_t = 0
    // Nothing to read means that another turn has taken the results already.
    _ = eventfd_read(wakeDescriptor.rawValue, &count)
    for result in commitThread?.takeResults() ?? [] {
      hasCommitted = true
      if case .noop = result.job { didProbe() }
      if let end = service.complete(result) { self.end = end }
    }
    for thread in [upkeepThread, packingThread] {
      for result in thread?.takeResults() ?? [] { service.complete(result) }
    }
  }

  /// Sends a job that does nothing behind all others. The watchdog is fed when it has come back: so a disk that hangs and
  /// a loop that no longer turns are noticed, and an idle daemon is not.
  private func probe() {
    if isProbing || isStopping { return }
    isProbing = true
    commitThread?.submit(.noop)
  }

  private func didProbe() {
    isProbing = false
    notifier.alive()
  }

  private func tick() {
    service.tick()
    keepsLeft = Self.keepsPerTick
    if handOver != nil {
      for (id, socket) in sockets where socket.slot == nil { noteRest(of: id) }
    }
    listeningSource?.setEnabled(!isStopping)
    tellStatus()
  }

  private func tellStatus() {
    lastTroubles = service.troubles
    let status = service.statusLine
    if status == lastStatus { return }
    lastStatus = status
    notifier.status(status)
  }

  private func reload() {
    notifier.reloading()
    // What is wrong is in the journal, and the old configuration stays.
    _ = try? service.reload()
    notifier.ready(status: service.statusLine)
  }

  private func stop() {
    if isStopping { return }
    isStopping = true
    notifier.stopping()
    listeningSource?.setEnabled(false)
    service.stop()
    // Nothing is received any more: it is for the next daemon.
    for socket in Array(sockets.values) { settle(socket) }
    // It would keep the daemon from ending for a second or so, and can be done after the next start.
    packingThread?.cancelPacking()
  }

  private func finish(_ end: ServiceEnd) {
    for id in service.takeDirty() { send(id) }
    leaveConnections(isInOrder: end == .stopped)
    for id in Array(sockets.keys) { close(id) }
    if case .stopped = end {
      commitThread?.join()
      for thread in [upkeepThread, packingThread] {
        thread?.stop()
        thread?.join()
      }
    }
    if let listening = listening.take() { listening.stop() }
  }

  // MARK: Handing over

  /// Goes on with what the last daemon left.
  func goOn(with left: HandOver.Left) {
    var lost = left.lost
    for connection in left.connections where !goOn(with: connection) {
      lost += 1
      _ = shutdown(connection.descriptor, Int32(SHUT_RDWR))
      handOver?.letGo(connection.slot)
      _ = FileDescriptor(connection.descriptor)
    }
    handOver?.forgetLeft()
    service.noteLost(lost)
    if lost + sockets.count > 0 { journal.log(.takenOver(sockets.count, lost: lost)) }
  }

  /// - Returns: Whether the connection goes on.
  private func goOn(with connection: HandOver.LeftConnection) -> Bool {
    do {
      let peer = try Peer(socket: connection.descriptor)
      guard let id = service.resume(connection.state, peer) else { return false }
      let socket = ConnectionSocket(id: id, FileDescriptor(connection.descriptor))
      socket.slot = connection.slot
      // What it is at begins to change at once: it may have calls to be carried out, or something to be told.
      noteBusy(socket)
      serve(socket)
      noteRest(of: id)
      return true
    } catch {
      journal.log(.connectionFailed(error))
      return false
    }
  }

  /// Leaves the next daemon what can be left to it. All other connections are to be closed.
  private func leaveConnections(isInOrder: Bool) {
    guard let handOver else { return }
    // After a failure only what was at rest before is true.
    guard isInOrder else {
      for (id, socket) in sockets where socket.slot != nil && !busy.contains(id) { sockets[id] = nil }
      return
    }
    var count = 0
    for (id, socket) in sockets {
      keep(socket)
      guard let slot = socket.slot, let state = service.finalState(of: id) else { continue }
      restingState.removeAll()
      state.write(to: &restingState)
      handOver.leave(slot, restingState.bytes)
      sockets[id] = nil
      count += 1
    }
    do {
      try handOver.finishLeaving()
    } catch {
      journal.log(.handOverFailed(error))
    }
    if count + sockets.count > 0 { journal.log(.handedOver(count, ended: sockets.count)) }
  }

  /// Begins to keep a connection where there is room.
  private func keep(_ socket: ConnectionSocket) {
    guard socket.slot == nil, canKeep else { return }
    do {
      socket.slot = try handOver?.keep(socket.rawValue)
      if socket.slot != nil { busy.insert(socket.id) }
    } catch {
      // Said once: it would be the same for the next connection.
      canKeep = false
      journal.log(.handOverFailed(error))
    }
  }

  /// Keeps connections that came to rest.
  private func noteResting() {
    for id in service.takeChangedAtRest() { noteRest(of: id) }
    guard hasCommitted else { return }
    hasCommitted = false
    for id in Array(busy) { noteRest(of: id) }
  }

  private func noteBusy(_ socket: ConnectionSocket) {
    guard let slot = socket.slot, busy.insert(socket.id).inserted else { return }
    handOver?.noteBusy(slot)
  }

  /// Notes what a connection is at if it is at rest, and keeps it from its first call on.
  private func noteRest(of id: UInt64) {
    guard let handOver, let socket = sockets[id] else { return }
    if socket.slot == nil, keepsLeft > 0, service.isWorthKeeping(id) {
      keepsLeft -= 1
      keep(socket)
    }
    guard let slot = socket.slot, let state = service.stateAtRest(of: id) else { return }
    restingState.removeAll()
    state.write(to: &restingState)
    handOver.noteRest(slot, restingState.bytes)
    busy.remove(id)
  }

  // MARK: Connections

  /// Accepts one connection, and no more: before the next one those that stand already get their turn, so that nobody makes
  /// them wait by flooding the socket.
  private func acceptNext() {
    guard let listener = listening?.rawValue else { return }
    let descriptor = retryingInterrupts { accept(listener, nil, nil) }
    if descriptor >= 0 { return admit(descriptor) }
    switch errno {
    case EAGAIN, ECONNABORTED: return
    default:
      // Out of descriptors or memory: whoever waits is served once there are some again.
      journal.log(.connectionFailed(SystemError.last("accept a connection")))
      listeningSource?.setEnabled(false)
    }
  }

  /// Takes over a descriptor that accept(2) gave. It is a bare number here, since Swift 6.0's optimiser fails where one
  /// that is owned is passed on in some cases and not in others.
  private func admit(_ descriptor: Int32) {
    guard let id = connect(descriptor) else { return refuse(FileDescriptor(descriptor)) }
    serve(ConnectionSocket(id: id, FileDescriptor(descriptor)))
  }

  private func serve(_ socket: ConnectionSocket) {
    let id = socket.id
    sockets[id] = socket
    do {
      socket.source = try EventSource(event, reading: socket.rawValue) { [unowned self] in ready(id, $0) }
    } catch {
      journal.log(.connectionFailed(error))
      close(id)
    }
  }

  /// Gives a connection to the service; `nil` when it is not to be.
  private func connect(_ descriptor: Int32) -> UInt64? {
    do {
      try FileDescriptor.setNonBlocking(descriptor)
      let peer = try Peer(socket: descriptor)
      return service.connect(peer, isRoom: sockets.count < descriptorLimit.connections)
    } catch {
      journal.log(.connectionFailed(error))
      return nil
    }
  }

  private func refuse(_ descriptor: consuming FileDescriptor) {
    _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR))
  }

  private func ready(_ id: UInt64, _ events: UInt32) {
    guard let socket = sockets[id] else { return }
    if events & EPOLLOUT.rawValue != 0 { send(id) }
    if events & EPOLLIN.rawValue != 0 {
      receive(socket)
    } else if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
      hangUp(id)
    }
  }

  private func receive(_ socket: ConnectionSocket) {
    // Not for long perhaps: another connection's calls may be what it has to wait for.
    guard service.wantsInput(on: socket.id) else { return settle(socket) }
    let room = min(chunk.count, service.receiptLimit(of: socket.id))
    noteBusy(socket)
    // Descriptors that came along are closed by the kernel, since no room is given for them.
    let count = retryingInterrupts { recv(socket.rawValue, chunk.baseAddress, room, 0) }
    if count > 0 {
      service.receive(UnsafeRawBufferPointer(rebasing: chunk[..<count]), on: socket.id)
    } else if count == 0 {
      service.receiveEnd(on: socket.id)
    } else if errno != EAGAIN {
      return hangUp(socket.id)
    }
    settle(socket)
    noteRest(of: socket.id)
  }

  /// The peer is gone in both directions: nobody reads answers any more.
  private func hangUp(_ id: UInt64) {
    close(id)
  }

  private func send(_ id: UInt64) {
    guard let socket = sockets[id] else { return }
    while true {
      let sent = service.withOutput(of: id) { bytes -> Int in
        if bytes.isEmpty { return 0 }
        noteBusy(socket)
        return retryingInterrupts { Glibc.send(socket.rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
      }
      guard let sent, sent != 0 else { break }
      if sent < 0 {
        if errno == EAGAIN {
          socket.isFull = true
          settle(socket)
          return
        }
        return hangUp(id)
      }
      service.consumeOutput(sent, of: id)
    }
    socket.isFull = false
    settle(socket)
    noteRest(of: id)
  }

  /// Closes a connection that has come to its end; else waits for what it needs.
  private func settle(_ socket: ConnectionSocket) {
    if service.isFinished(socket.id) { return close(socket.id) }
    let wantsInput = service.wantsInput(on: socket.id)
    let isPaused = !wantsInput && !service.hasEnded(socket.id)
    if isPaused { paused.insert(socket.id) } else { paused.remove(socket.id) }
    var interest: UInt32 = 0
    if wantsInput { interest |= EPOLLIN.rawValue }
    if socket.isFull { interest |= EPOLLOUT.rawValue }
    // A peer that hung up with bytes unread would be reported all the time while it has to wait.
    socket.source?.setEnabled(!(isPaused && interest == 0))
    socket.source?.setInterest(interest)
  }

  private func resumePaused() {
    if paused.isEmpty { return }
    for id in paused where service.wantsInput(on: id) {
      if let socket = sockets[id] { settle(socket) }
    }
  }

  private func close(_ id: UInt64) {
    guard let socket = sockets.removeValue(forKey: id) else { return }
    paused.remove(id)
    busy.remove(id)
    socket.source?.cancel()
    // Also for processes that hold a copy of the descriptor: the peer shall see the end.
    _ = shutdown(socket.rawValue, Int32(SHUT_RDWR))
    if let slot = socket.slot { handOver?.letGo(slot) }
    service.disconnect(id)
    // There is a descriptor for the next one now.
    if !isStopping { listeningSource?.setEnabled(true) }
  }
}

/// A connection's socket and the source that watches it.
private final class ConnectionSocket {
  let id: UInt64
  private let descriptor: FileDescriptor
  var source: EventSource?
  /// Where it is kept for the next daemon.
  var slot: Int?
  /// The kernel takes no more output for now.
  var isFull = false

  init(id: UInt64, _ descriptor: consuming FileDescriptor) {
    self.id = id
    self.descriptor = descriptor
  }

  var rawValue: Int32 { descriptor.rawValue }
}
