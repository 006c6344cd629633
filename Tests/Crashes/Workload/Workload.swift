import ScrollLog
import ScrollLogTesting
import ScrollModel
import ScrollTesting

/// Everything a daemon does with a log, in the way the service does it: it opens the log, writes blocks of many clients, rolls,
/// removes old segments, packs, forgets clients, shuts down or is killed, and starts again.
///
/// The same seed leads to the same operations. The workload stops at the first failure at which a daemon would end.
final class Workload {
  static let directory = "/state"
  static let logPath = directory + "/log"

  let fileSystem: FaultyFileSystem
  let mode: SyncMode
  private(set) var ledger = Ledger()
  private(set) var boot: UInt64 = 1
  /// The index of each step's first operation, and the name of the step.
  private(set) var steps: [(operation: Int, name: String)] = []

  private var random: SeededRandom
  private var clients: Clients
  private var identifiers: SeededRandom
  private let clock = SteppedClock()
  private var log: OpenedLog?
  /// Segments that are no longer in the list, but whose files still exist.
  private var trimmed: [TrimmedSegment] = []
  private var builder = BlockBuilder(nextPosition: 1, received: 0)
  /// How many starts in a row may fail because of requested failures; 0 if none were requested.
  private let patience: Int

  private var expectsRefusals: Bool { patience > 0 }

  init(_ fileSystem: FaultyFileSystem, _ mode: SyncMode, seed: UInt64, patience: Int = 0) {
    self.fileSystem = fileSystem
    self.mode = mode
    self.patience = patience
    random = SeededRandom(seed: seed)
    clients = Clients(seed: seed &+ 1)
    identifiers = SeededRandom(seed: seed &+ 2)
  }

  /// Creates a workload that continues after a recovery.
  init(resuming fileSystem: FaultyFileSystem, _ mode: SyncMode, _ ledger: Ledger, boot: UInt64, seed: UInt64) {
    self.fileSystem = fileSystem
    self.mode = mode
    self.ledger = ledger
    self.boot = boot
    patience = 0
    random = SeededRandom(seed: seed)
    clients = Clients(seed: seed &+ 1, received: ledger.records.last?.received ?? 1_700_000_000_000_000)
    identifiers = SeededRandom(seed: seed &+ 2)
  }

  /// The options of all these tests: reservations are small, so that there are many, and a start checks little of a segment,
  /// so that some is left for later.
  static func options(
    _ mode: SyncMode, boot: UInt64, monotonic: @escaping @Sendable () -> Int64 = { 0 },
    identifier: @escaping @Sendable () -> UInt64
  ) -> LogOptions {
    var options = LogOptions(syncMode: mode, boot: BootID(high: 0, low: boot))
    options.preallocation = 12288
    options.checkedAtStart = 1000
    options.now = { 1_700_000_000_000_000 }
    options.monotonic = monotonic
    options.identifier = identifier
    return options
  }

  // MARK: Plans

  /// Runs everything, some 500 operations.
  func run() throws {
    for round in 0..<4 {
      try start()
      for index in 0..<(mode == .commit ? 12 : 18) {
        try write(calls: random.whole(1...3))
        if index % 5 == 4 { try sendAgain() }
        if mode != .commit { clock.now += Int64(random.whole(0...400)) }
        if index % 6 == 2 { try snapshot() }
        if index == 1 { try check() }
        if index % 6 == 5 { try roll() }
        if index == 7 { try pack() }
        if index == 9, round > 0 { try forget() }
        if index == 10, round > 0 { try removeOldest() }
      }
      if round == 2 { try read() }
      if round % 2 == 0 { try stop() } else { kill() }
    }
    try start()
    for _ in 0..<4 { try write(calls: 2) }
  }

  /// Runs a little of everything after a recovery.
  func resume() throws {
    try start()
    for _ in 0..<2 { try write(calls: 2) }
    try sendAgain()
    try roll()
    try write(calls: 1)
  }

  /// Writes one last block, which has to succeed once nothing fails.
  func writeOnceMore() throws {
    let before = ledger.last
    try write(calls: 1)
    try require(ledger.last > before, "appending does not continue although there is space again")
  }

  // MARK: Steps

  private func begin(_ step: String) { steps.append((fileSystem.operations.count, step)) }

  /// Returns the step to which an operation belongs.
  func step(of operation: Int) -> String { steps.last { $0.operation <= operation }?.name ?? "nothing" }

  private func start() throws {
    begin("start")
    let clock = clock
    let seeds = identifiers.next()
    let next = SeededCounter(seeds)
    let options = Self.options(mode, boot: boot, monotonic: { clock.now }, identifier: { next.next() })
    let opened = try open(options)
    try require(opened.nextPosition == ledger.last + 1, "a start without a crash lost records")
    if ledger.last > 0 {
      try require(
        opened.generations == ledger.generations || expectsRefusals,
        "a start without a crash began generation \(opened.generations.current)")
    }
    ledger.resume(after: ledger.last, opened.generations)
    log = opened
    trimmed = []
    builder = BlockBuilder(nextPosition: opened.nextPosition, received: opened.projection.received, capacity: 1024)
  }

  /// Opens the log. A start that fails is repeated a limited number of times.
  private func open(_ options: LogOptions) throws -> OpenedLog {
    for _ in 0...patience {
      do throws(OpenError) {
        return try EventLog.open(directory: Self.directory, fileSystem: fileSystem, options: options)
      } catch {
        if case .damaged(let damage) = error { throw Problem("a start reports this as damage: \(damage)") }
        if fileSystem.isCrashed { throw Stopped() }
        if !expectsRefusals { throw Problem("a start fails: \(error)") }
      }
    }
    throw Stopped()
  }

  private func write(calls: Int) throws {
    begin("write")
    let before = clients
    let last = ledger.last
    let block = try clients.block(&builder, calls: calls, &ledger)
    if try !write(block) {
      clients = before
      ledger.refuse(after: last)
    }
  }

  /// - Returns: whether it succeeded.
  private func write(_ block: Block) throws -> Bool {
    let log = try opened()
    guard case .done(let status, _) = try perform(.write(block)) else {
      builder.restart(at: block.firstPosition)
      return false
    }
    var closings = Closings()
    try log.projection.apply(block.view, observer: &closings)
    log.segments.addBlock(block, status, closed: closings.sessions)
    ledger.answer(durable: status.synced, seen: mode == .commit ? status.synced : status.written)
    if let due = log.writer.syncDue, due <= clock.now { try sync() }
    return true
  }

  private func sync() throws {
    begin("sync")
    if case .done(let status, _) = try perform(.sync) { ledger.answer(durable: status.synced, seen: status.written) }
  }

  /// Sends stored events again, as clients that lost an answer do: the log has to know them and their positions.
  private func sendAgain() throws {
    try RecoveryCheck.requireKnown(ledger, try opened().projection, at: ledger.last)
  }

  private func roll() throws {
    begin("roll")
    let log = try opened()
    let before = log.writer.status
    let sealing = SealedSegment(
      bytes: before.segmentBytes, snapshotBytes: before.snapshotBytes, lastReceived: log.projection.received)
    guard before.written >= before.segment else { return }
    guard case .done(let status, _) = try perform(.roll(log.projection.checkpoint())) else { return }
    log.segments.add(status, sealing: sealing)
    ledger.answer(durable: status.synced, seen: status.written)
  }

  private func snapshot() throws {
    begin("snapshot")
    let log = try opened()
    guard log.projection.position >= log.writer.status.segment,
      let snapshot = log.segments.snapshot(of: log.projection.checkpoint())
    else { return }
    guard case .done(_, let result) = try perform(.snapshot(snapshot)), let place = result.snapshot else { return }
    log.segments.addSnapshot(place)
  }

  /// Checks what a start from a snapshot has not read.
  private func check() throws {
    begin("check")
    let log = try opened()
    while log.writer.status.isUnchecked {
      guard case .done = try perform(.check) else { return }
    }
  }

  private func removeOldest() throws {
    begin("retention")
    let log = try opened()
    var limits = RetentionLimits.none
    // Removes about two segments.
    limits.maximumUse = log.segments.sealedBytes * 2 / 3
    let found = log.segments.trim(to: limits, activeBytes: 0, available: nil, now: 0)
    ledger.beginnings += found.map { $0.lastPosition + 1 }
    trimmed += found
    while let segment = trimmed.first {
      // A failed removal is repeated the next time, and no later segment is removed before.
      guard case .removed = try perform(UpkeepJob.remove(segment)) else { return }
      trimmed.removeFirst()
      ledger.beginnings.removeAll { $0 <= segment.firstPosition }
    }
  }

  /// Packs the sealed segments that are not packed.
  private func pack() throws {
    begin("pack")
    let log = try opened()
    var tried: Set<Position> = []
    while let first = log.segments.nextUnpacked(except: tried) {
      tried.insert(first)
      if case .packed(_, let bytes?) = try perform(UpkeepJob.pack(first)) {
        log.segments.markPacked(first, bytes: bytes)
      }
    }
  }

  private func forget() throws {
    begin("forget")
    let last = ledger.last
    if let closing = try clients.closeForgettable(&builder, &ledger), try !write(closing) {
      ledger.refuse(after: last)
      return
    }
    try roll()
    begin("forget")
    let log = try opened()
    // A client with records in the last segment cannot be forgotten yet.
    guard log.writer.status.written < log.writer.status.segment else { return }
    let scope = ForgetScope.client(name: Clients.forgettable, user: nil, except: [])
    let sessions = Set(
      ledger.records.compactMap { stored -> SessionID? in
        guard case .open(let opening) = stored.record, opening.client.name == Clients.forgettable else { return nil }
        return stored.session
      })
    guard case .forgotten = try perform(UpkeepJob.forget(.record(scope, received: .max))) else { return }
    ledger.isListed = true
    let paths = log.segments.takeSetAside()
    if !paths.isEmpty, case .notForgotten = try perform(UpkeepJob.forget(.files(paths))) { return }
    let firsts = log.segments.firstPositions
    for (first, next) in zip(firsts, firsts.dropFirst()).reversed() {
      let positions = ledger.positions(of: sessions, within: first..<next)
      ledger.beginForgetting(positions, of: sessions)
      guard case .forgotten(_, let found) = try perform(UpkeepJob.forget(.segment(first, scope))) else { return }
      if let bytes = found.segmentBytes { log.segments.resize(first, to: bytes) }
      ledger.endForgetting(positions)
    }
    ledger.forbiddenText = Clients.forgettable.text
  }

  private func read() throws {
    begin("read")
    let log = try opened()
    do {
      try RecoveryCheck.requireRecords(ledger, log.segments, through: ledger.last)
    } catch let error as ReadError {
      if fileSystem.isCrashed { throw Stopped() }
      // A failed read is not damage, and has no other effect.
      guard case .file = error, expectsRefusals else { throw Problem("\(error)") }
    }
  }

  private func stop() throws {
    // A daemon shuts down with a snapshot.
    if random.happens(0.8) { try snapshot() }
    begin("stop")
    guard case .done(let status, _) = try perform(.stop) else {
      // A daemon that finds no space for the mark ends as well.
      kill()
      return
    }
    ledger.answer(durable: status.synced, seen: status.written)
    log = nil
    // The machine may go down after a clean shutdown.
    if random.happens(0.5) { boot += 1 }
  }

  private func kill() {
    begin("kill")
    log = nil
  }

  // MARK: Jobs

  private enum Outcome {
    case done(WriterStatus, CommitResult)
    case refused
  }

  private func opened() throws -> OpenedLog {
    guard let log else { throw Stopped() }
    return log
  }

  /// Performs a job as the commit thread does, and handles its result as the service does.
  private func perform(_ job: CommitJob) throws -> Outcome {
    let writer = try opened().writer
    let result = writer.perform(job)
    switch result.outcome {
    case .success(let status):
      return .done(status, result)
    case .failure(.failed):
      try requireSilence(writer)
      throw Stopped()
    case .failure(let error):
      if fileSystem.isCrashed { throw Stopped() }
      guard expectsRefusals else { throw Problem("\(error)") }
      if case .outOfOrder = error { throw Problem("\(error)") }
      return .refused
    }
  }

  /// Performs a job as the upkeep thread does.
  private func perform(_ job: UpkeepJob) throws -> UpkeepResult {
    let result = try opened().upkeep.perform(job)
    switch result {
    case .removed, .forgotten, .measured, .packed: return result
    case .notRemoved, .notForgotten, .notMeasured, .notPacked:
      if fileSystem.isCrashed { throw Stopped() }
      guard expectsRefusals else { throw Problem("\(result)") }
      return result
    }
  }

  /// Checks that after a failure nothing more is acknowledged or written.
  private func requireSilence(_ writer: SegmentWriter) throws {
    let before = fileSystem.operations.count
    let received = ledger.records.last?.received ?? 0
    var builder = BlockBuilder(nextPosition: writer.status.written + 1, received: received)
    builder.append(Closing(time: 1, reason: .asked), of: SessionID(high: 1, low: 1))
    guard let block = builder.finish(received: received) else { throw Problem("a block is empty") }
    for job in [CommitJob.write(block), .sync, .stop] {
      guard case .failure(.failed) = writer.perform(job).outcome else {
        throw Problem("something is acknowledged after a failure")
      }
    }
    try require(fileSystem.operations.count == before, "a file is used after a failure")
  }
}
