import CSystemd
import Platform
import ScrollLog

/// The loop: a thin shell of sd-event(3) sources around a ``Service``.
///
/// Every turn dispatches one source and then carries the service's output out: jobs to the threads, bytes to the sockets.
final class EventLoop {
  /// How often the service learns that time passes, in microseconds.
  private static let tickInterval: UInt64 = 5_000_000

  private let service: Service
  private let threads: LogThreads
  private let io: ConnectionIO
  private let keeper: ConnectionKeeper?
  private let notifier: Notifier
  private let event: OpaquePointer
  private var sources: [EventSource] = []
  /// Makes a turn when the service has something to do at a certain time.
  private var wakeTimer: EventSource?
  /// Whether a job that does nothing is on its way through the commit thread, to show that thread and loop are alive.
  private var isProbing = false
  /// Whether a commit came back, so that more connections may be idle.
  private var hasCommitted = false
  private var isStopping = false
  private var end: ServiceEnd?
  private var lastStatus = ""
  private var lastTroubles: Service.Troubles = []

  /// A loop that serves on a socket and writes to a log.
  ///
  /// - Parameters:
  ///   - handOver: Keeps connections for the next daemon; `nil` when nothing would hold them.
  ///   - left: What the last daemon left.
  /// - Throws: ``SystemError`` when the system lacks the means.
  init(
    _ service: Service, _ listening: consuming ListeningSocket, _ log: OpenedLog, _ notifier: Notifier,
    _ handOver: HandOver?, left: HandOver.Left, journal: Journal
  ) throws {
    self.service = service
    self.notifier = notifier
    var event: OpaquePointer?
    try check(sd_event_new(&event), "make an event loop")
    guard let event else { throw SystemError("make an event loop", .outOfMemory) }
    self.event = event
    keeper = handOver.map { ConnectionKeeper(service, $0, journal: journal) }
    io = try ConnectionIO(service, listening, keeper, event: event, journal: journal)
    threads = try LogThreads(log)
    try addSources()
    io.resume(left)
  }

  private func addSources() throws {
    let results = try EventSource(event, reading: threads.wakeDescriptor) { [unowned self] _ in takeResults() }
    // Answers wait for these few events: they must not get in line behind a flood of input.
    results.setUrgency(.first)
    sources.append(results)
    for signal in StopSignals.all {
      sources.append(try EventSource(event, signal: signal) { [unowned self] in stop() })
    }
    sources.append(try EventSource(event, signal: .hangUp) { [unowned self] in reload() })
    sources.append(try EventSource(event, every: Self.tickInterval) { [unowned self] in tick() })
    if let interval = notifier.watchdogInterval {
      sources.append(try EventSource(event, every: interval / 2) { [unowned self] in probe() })
    }
    // The turn that follows does what is due.
    wakeTimer = try EventSource(event, timer: {})
  }

  /// Serves until a signal or a failure ends it.
  ///
  /// - Returns: How it ended.
  func run() throws -> ServiceEnd {
    notifier.ready(status: service.statusLine)
    while true {
      let result = sd_event_run(event, service.hasWork ? 0 : UInt64.max)
      if result < 0, result != -Errno.interrupted.rawValue {
        throw SystemError("wait for events", Errno(rawValue: -result))
      }
      turn()
      if let end {
        finish(end)
        return end
      }
    }
  }

  // MARK: Turns

  /// Carries out what the service has for the outside.
  private func turn() {
    service.advance()
    if let job = service.nextJob() { threads.submit(job) }
    if let job = service.nextUpkeep() { threads.submit(job) }
    // The packing is repeated after the job that somebody waits for.
    if service.isPackingInTheWay { threads.cancelPacking() }
    for id in service.takeOutputs() { io.send(id) }
    io.resumePaused()
    if let due = service.nextDue { wakeTimer?.setTime(UInt64(clamping: due)) }
    keepIdle()
    // The rest of the status may be some seconds old, but not that something is wrong, or right again.
    if service.troubles != lastTroubles { reportStatus() }
  }

  private func takeResults() {
    let (commits, upkeeps) = threads.takeResults()
    for result in commits {
      hasCommitted = true
      if case .noop = result.job { didProbe() }
      if let end = service.complete(result) { self.end = end }
    }
    for result in upkeeps { service.complete(result) }
  }

  private func keepIdle() {
    io.keepIdle(service.takeHandOverChanges())
    guard hasCommitted, let keeper else { return }
    hasCommitted = false
    io.keepIdle(keeper.busyConnections)
  }

  // MARK: Time

  /// Sends a job that does nothing behind all others, and feeds the watchdog when it has come back: so a disk that hangs
  /// and a loop that no longer turns are noticed, and an idle daemon is not.
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
    io.resumeAccepting()
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
    // The journal has the reason of a failure, and the old configuration stays in force.
    _ = try? service.reload()
    notifier.ready(status: service.statusLine)
  }

  private func stop() {
    if isStopping { return }
    isStopping = true
    notifier.stopping()
    service.stop()
    io.stop()
    // It would delay the end by a second or so, and can be repeated after the next start.
    threads.cancelPacking()
  }

  private func finish(_ end: ServiceEnd) {
    for id in service.takeOutputs() { io.send(id) }
    io.finish(isClean: end == .stopped)
    if case .stopped = end { threads.join() }
  }
}
