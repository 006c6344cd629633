import JSON
import ScrollLogTesting
import ScrollModel
import Testing
import Varlink

@testable import ScrollLog
@testable import ScrollService

/// A log in memory and the commit on top of it, without a service: the test carries out each job itself.
final class LogFixture {
  static let noDemands = Commit.Demands(rollsToForget: false, isStopping: false, mayStop: false)
  static let stop = Commit.Demands(rollsToForget: false, isStopping: true, mayStop: true)

  let fileSystem: FaultyFileSystem
  let clock = HandClock()
  let journal = JournalRecorder()
  let effects = EffectQueue()
  let opened: OpenedLog
  let log: FoldedLog
  let history: History
  let commit: Commit

  init(_ fileSystem: FaultyFileSystem = FaultyFileSystem(), segmentSize: Int = 64 << 20) throws {
    self.fileSystem = fileSystem
    opened = try EventLog.openForTests(fileSystem)
    log = FoldedLog(opened, at: 0)
    let readings = LogReadings(ConnectionLimits(Configuration()), effects: effects)
    history = History(log, readings: readings, clock: clock.service, journal: journal.journal)
    commit = Commit(
      log, opened.writer.status, segmentSize: segmentSize, effects: effects, clock: clock.service,
      journal: journal.journal)
  }

  var segments: SegmentList { log.segments }

  // MARK: Records

  /// Adds the opening of a session to the block.
  @discardableResult
  func open(_ name: String, user: UInt32 = 1000, id: UInt64? = nil) -> SessionID {
    let id = SessionID(high: 1, low: id ?? UInt64(commit.lastAccepted) + 1)
    let opening = Opening(client: ClientID(user: user, name: name), time: clock.wall, policy: .safari)
    commit.add(NewRecord(session: id, record: .open(opening)))
    return id
  }

  /// Adds the closing of a session to the block.
  func close(_ session: SessionID) {
    commit.add(NewRecord(session: session, record: .close(Closing(time: clock.wall, reason: .asked))))
  }

  /// Adds events to the block.
  @discardableResult
  func append(
    _ events: [JSONTree] = [Gestures.layout], skipping known: Int = 0, to session: SessionID, from number: Int64 = 1
  ) throws -> Position {
    try JSONParser().parse(Array("\(JSONTree.array(events))".utf8)) { value in
      let array = try #require(value.asArray)
      return try commit.add(array, skipping: known, to: session, from: number)
    }
  }

  // MARK: Jobs

  /// Carries out a job as the commit thread would, and folds what it wrote.
  @discardableResult
  func finish(_ job: CommitJob) throws -> Commit.Outcome {
    var observer = NoObserver()
    return try finish(job, &observer)
  }

  /// Carries out a job as the commit thread would, and folds what it wrote for an observer.
  @discardableResult
  func finish(_ job: CommitJob, _ observer: inout some ProjectionObserver) throws -> Commit.Outcome {
    let outcome = commit.complete(opened.writer.perform(job))
    if case .wrote(let block, _) = outcome {
      try log.fold(block, &observer)
      log.didFold(block, commit.written, closed: [])
    }
    return outcome
  }

  /// Writes the block that is being built.
  ///
  /// - Returns: The answers that are due then.
  @discardableResult
  func write() throws -> [Answer] {
    let job = try #require(commit.nextJob(Self.noDemands))
    let outcome = try finish(job)
    guard case .wrote(_, let answers) = outcome else { throw CallError("the job wrote no block: \(outcome)") }
    return answers
  }

  /// Seals the segment that is written to, which must have records.
  func roll() throws {
    commit.rolls.request()
    let job = try #require(commit.nextJob(Self.noDemands))
    let outcome = try finish(job)
    guard case .beganSegment = outcome else { throw CallError("the job sealed no segment: \(outcome)") }
  }

  /// Writes a segment with one closed session in it, and seals it.
  @discardableResult
  func sealSegment(events: Int = 1) throws -> SessionID {
    let session = open("sealed")
    try append(Gestures.flips(events), to: session)
    close(session)
    try write()
    try roll()
    return session
  }
}

extension CommitJob {
  /// The kind of the job, for tests that compare sequences.
  var name: String {
    switch self {
    case .write: "write"
    case .roll: "roll"
    case .snapshot: "snapshot"
    case .check: "check"
    case .sync: "sync"
    case .noop: "noop"
    case .stop: "stop"
    }
  }
}
