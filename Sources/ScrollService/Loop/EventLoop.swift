import CSystemd
import Platform
import ScrollLog

/// The loop: a thin layer of descriptors, signals and timers around a ``Service``.
///
/// Each turn dispatches what is ready, which only takes in what arrived. Then it lets the service work for a bounded time,
/// and passes on what that has produced: jobs to the threads, bytes to the sockets. Users take turns in the service's work and in
/// sending, so that nobody waits for all connections of another.
final class EventLoop {
  /// The time between two ticks of the service, in microseconds.
  private static let tickInterval: UInt64 = 5_000_000
  /// How many descriptors are dispatched before the service works.
  private static let dispatchesPerTurn = 64
  /// To how many connections output is sent before other events are looked for.
  private static let sendsPerTurn = 32
  /// How long descriptors are dispatched, and output is sent, before other events are looked for, in microseconds.
  private static let turnPart: Int64 = 500
  /// How many connections are looked at in a turn, whether they are idle again.
  private static let looksPerTurn = 32

  private let service: Service
  private let threads: LogThreads
  private let io: ConnectionIO
  private let keeper: ConnectionKeeper?
  private let notifier: Notifier
  private let poll: LoopPoll
  private let sourceLoop: SourceLoop
  /// Causes a turn when the service has something to do at a certain time.
  private var wakeTimer: EventSource?
  /// Whether the commit thread has an empty job, whose result shows that thread and loop are alive.
  private var isProbing = false
  /// The connections that may be idle again, since a commit has finished or their state has changed.
  private var unlooked = Fifo<ConnectionID>()
  /// Whether a commit has finished since the busy connections were added to them.
  private var hasCommitted = false
  private var isStopping = false
  private var end: ServiceEnd?
  private var lastStatus = ""
  private var lastTroubles: Service.Troubles = []

  /// Creates a loop that serves on a socket and writes to a log.
  ///
  /// - Parameters:
  ///   - handOver: The hand-over to the next daemon; `nil` without a descriptor store.
  ///   - inherited: The connections of the previous daemon.
  /// - Throws: ``SystemError`` when the system lacks a resource.
  init(
    _ service: Service, _ listening: consuming ListeningSocket, _ log: OpenedLog, _ notifier: Notifier,
    _ handOver: HandOver?, inherited: HandOver.Inherited, journal: Journal
  ) throws {
    self.service = service
    self.notifier = notifier
    poll = try LoopPoll()
    sourceLoop = try SourceLoop()
    keeper = handOver.map { ConnectionKeeper(service, $0, journal: journal) }
    io = try ConnectionIO(service, listening, keeper, poll, journal: journal)
    threads = try LogThreads(log)
    try addSources()
    io.resume(inherited)
  }

  private func addSources() throws {
    try poll.watchResults(threads.wakeDescriptor)
    try poll.watchSources(sourceLoop.borrowed)
    let event = sourceLoop.event
    for signal in StopSignals.all {
      sourceLoop.keep(try EventSource(event, signal: signal) { [unowned self] in stop() })
    }
    sourceLoop.keep(try EventSource(event, signal: .hangUp) { [unowned self] in reload() })
    sourceLoop.keep(try EventSource(event, every: Self.tickInterval) { [unowned self] in tick() })
    if let interval = notifier.watchdogInterval {
      sourceLoop.keep(try EventSource(event, every: interval / 2) { [unowned self] in probe() })
    }
    // The turn that follows does what is due.
    wakeTimer = try EventSource(event, timer: {})
  }

  /// Serves until a signal or a failure ends the service.
  ///
  /// - Returns: The reason for the end.
  func run() throws -> ServiceEnd {
    notifier.ready(status: service.statusLine)
    while true {
      try dispatch()
      turn()
      if let end {
        finish(end)
        return end
      }
    }
  }

  // MARK: Turns

  /// Dispatches what is ready, and waits for it if nothing else is to do.
  private func dispatch() throws {
    var hasDispatched = try sourceLoop.arm()
    // Answers wait for these, which must not queue behind a flood of input.
    if threads.hasResults {
      takeResults()
      hasDispatched = true
    }
    try poll.wait(blocks: !hasDispatched && !service.hasWork && unlooked.isEmpty)
    var end = Int64.max
    for count in 0..<Self.dispatchesPerTurn {
      guard let ready = try poll.next() else { return }
      // From the first one on, which may have come after a long wait.
      if count == 1 { end = Clock.monotonicMicroseconds() + Self.turnPart }
      switch ready {
      case .results: takeResults()
      case .sources: try sourceLoop.dispatchDue()
      case .listener: io.acceptSome()
      case .connection(let id, let readiness): io.ready(id, readiness)
      }
      if count > 0, Clock.monotonicMicroseconds() >= end { return }
    }
  }

  /// Passes on what the service has produced.
  private func turn() {
    service.advance()
    runCommits()
    if service.mayHaveUpkeep, let job = service.nextUpkeep() { threads.submit(job) }
    // The packing starts again after the job that waits for it.
    if service.isPackingInTheWay { threads.cancelPacking() }
    send()
    service.takeServed { io.touch($0) }
    io.settleTouched()
    io.resumePaused(isBusy: service.hasWork)
    let due = min(service.nextDue ?? .max, threads.syncDue ?? .max)
    if due != .max, wakeTimer?.setTime(UInt64(clamping: due)) == true { sourceLoop.timersDidChange() }
    keepIdle()
    // Troubles are reported at once; the rest of the status may be some seconds old.
    if service.troubles != lastTroubles { reportStatus() }
  }

  /// Does what is to be written at once, or passes it to the commit thread.
  private func runCommits() {
    // First, or the thread would never be free for it under load.
    threads.syncIfDue()
    // One block: what follows it, such as a new segment, has a turn of its own.
    if let job = service.nextJob(), let result = threads.run(job, mayWait: service.hasSingleWaitingCall) {
      complete(result)
    }
  }

  private func send() {
    let end = Clock.monotonicMicroseconds() + Self.turnPart
    for _ in 0..<Self.sendsPerTurn {
      guard let id = service.takeOutput() else { return }
      io.send(id)
      if Clock.monotonicMicroseconds() >= end { return }
    }
  }

  private func takeResults() {
    let (commits, upkeeps) = threads.takeResults()
    // There is room in the block again.
    io.resumeAllPaused()
    for result in commits { complete(result) }
    for result in upkeeps { service.complete(result) }
  }

  private func complete(_ result: CommitResult) {
    hasCommitted = true
    if case .noop = result.job { didProbe() }
    if let end = service.complete(result) { self.end = end }
  }

  private func keepIdle() {
    guard let keeper else { return }
    let changed = service.takeHandOverChanges()
    // Until it is written again, a state that has changed must not be used.
    io.markBusy(changed)
    for id in changed { unlooked.append(id) }
    if hasCommitted, unlooked.isEmpty {
      hasCommitted = false
      unlooked = Fifo(keeper.busyConnections)
    }
    for _ in 0..<Self.looksPerTurn {
      guard let id = unlooked.popFirst() else { return }
      io.keepIdle(id)
    }
  }

  // MARK: Time

  /// Submits an empty job; its result feeds the watchdog. The watchdog therefore notices a hanging disk and a stuck
  /// loop, but not an idle daemon.
  private func probe() {
    if isProbing || isStopping { return }
    isProbing = true
    threads.submit(.noop)
  }

  private func didProbe() {
    isProbing = false
    notifier.alive()
  }

  private func tick() {
    service.tick()
    keeper?.tick()
    io.keepRemaining()
    io.tick()
    reportStatus()
  }

  private func reportStatus() {
    lastTroubles = service.troubles
    let status = service.statusLine
    if status == lastStatus { return }
    lastStatus = status
    notifier.status(status)
  }

  // MARK: Signals

  private func reload() {
    notifier.reloading()
    // A failure is in the journal, and the old configuration stays in force.
    _ = try? service.reload()
    notifier.ready(status: service.statusLine)
  }

  private func stop() {
    if isStopping { return }
    isStopping = true
    notifier.stopping()
    service.stop()
    io.stop()
    // Packing would delay the end by a second or so, and the next start begins it again.
    threads.cancelPacking()
  }

  private func finish(_ end: ServiceEnd) {
    for id in service.takeOutputs() { io.send(id) }
    io.finish(isClean: end == .stopped)
    if case .stopped = end { threads.join() }
  }
}

/// The signals that shut the daemon down. They are blocked in every thread: the loop receives them, and a start checks
/// whether one is pending.
enum StopSignals {
  /// `SIGTERM` comes from the service manager, `SIGINT` from a terminal.
  static let all: [Signal] = [.terminate, .interrupt]

  /// Whether a signal has arrived and was not received yet (sigpending(2)).
  static var isPending: Bool { SignalSet(all).isPending }
}
