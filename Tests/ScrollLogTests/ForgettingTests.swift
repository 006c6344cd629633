import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Removing sessions from the log without changing anything else.
@Suite struct ForgettingTests {
  static let seed = SeededGenerator.seed

  /// Markers that no file may hold afterwards.
  private static let name: ClientName = "secret/client"
  private static let title = "A secret title"
  private static let application = "Secret Reader"
  private static let coordinate = 1234.567891011
  private static let reason = "for a secret reason"

  /// A log of five segments and one without records, with two sessions of one client among others.
  private struct Scene {
    let fileSystem = FaultyFileSystem()
    let log: OpenedLog
    let feed: RandomFeed
    let first = SessionID(high: 0xF02, low: 1)
    let second = SessionID(high: 0xF02, low: 2)
    /// The positions of the client's records.
    let positions: Set<Position>

    /// - Parameter packed: which of the segments are packed.
    init(packed: Range<Int> = 0..<0) throws {
      log = try LogFixture.open(fileSystem, PackedScene.options)
      var builder = LogFixture.builder(log)
      var feed = RandomFeed(SeededGenerator(seed: ForgettingTests.seed))
      var positions: Set<Position> = []
      var numbers: [SessionID: Int64] = [:]
      var observer = NoObserver()
      let client = ClientID(user: 7, name: ForgettingTests.name)
      var opening = Opening(client: client, time: 5, policy: .safari)
      opening.title = ForgettingTests.title
      opening.application = ForgettingTests.application
      for segment in 0..<5 {
        for part in 0..<3 {
          let start = builder.nextPosition
          let session = segment < 3 ? first : second
          if segment == 0 && part == 1 { builder.append(opening, of: first) }
          if segment == 3 && part == 0 {
            builder.append(Closing(time: 9, reason: .reopened), of: first)
            builder.append(opening, of: second)
          }
          if segment > 0 || part > 0 {
            Self.append(3, to: session, number: numbers[session, default: 1], &builder)
            numbers[session, default: 1] += 3
          }
          if segment == 2 && part == 1 {
            builder.append(ScrollRequest(time: 8, target: .offset(x: ForgettingTests.coordinate, y: 0)), of: first)
            let request = builder.nextPosition - 1
            builder.append(
              ScrollResponse(time: 8, request: request, done: false, reason: ForgettingTests.reason), of: first)
          }
          if segment == 4 && part == 2 { builder.append(Closing(time: 9, reason: .forgotten), of: second) }
          positions.formUnion(start..<builder.nextPosition)
          let block = feed.block(&builder)
          try log.writer.write(block)
          try log.projection.apply(block.view, observer: &observer)
        }
        try log.writer.roll(log.projection.checkpoint())
        log.segments.add(log.writer.status.segment)
      }
      self.feed = feed
      self.positions = positions
      for first in log.segments.firstPositions[packed] {
        let directory = log.segments.directory
        _ = try SegmentPacking(directory: directory, options: PackedScene.options, firstPosition: first).run()
      }
    }

    private static func append(_ count: Int64, to session: SessionID, number: Int64, _ builder: inout BlockBuilder) {
      builder.beginRun(session, firstNumber: number)
      for _ in 0..<count {
        var event = Event(.scroll, time: 6)
        event.x = ForgettingTests.coordinate
        event.y = ForgettingTests.coordinate
        builder.append(event)
      }
      builder.endRun()
    }

    var jobs: [ForgetJob] { jobs(.client(name: ForgettingTests.name, user: 7, except: [])) }

    func jobs(_ scope: ForgetScope) -> [ForgetJob] {
      log.segments.firstPositions.dropLast().reversed().map { .segment($0, scope) }
    }
  }

  /// Whatever is in them, since no start uses the snapshots of a sealed segment.
  @Test func theSnapshotsOfASealedSegmentAreRemoved() throws {
    let scene = try Scene()
    let directory = scene.log.segments.directory
    let paths = scene.log.segments.firstPositions.dropLast().map(directory.path(ofSnapshots:))
    for path in paths { scene.fileSystem[path] = Array(Self.title.utf8) }
    for job in scene.jobs { _ = try scene.log.upkeep.forget(job) }
    for path in paths { #expect(scene.fileSystem[path] == nil) }
  }

  /// Returns how many of the markers the files hold, packed or not.
  private static func found(_ fileSystem: FaultyFileSystem) throws -> Int {
    let texts = [name.text, title, application, reason].map { Array($0.utf8) }
    let number = withUnsafeBytes(of: coordinate.bitPattern.littleEndian) { Array($0) }
    var count = 0
    for directory in [LogFixture.directory, LogFixture.logPath] {
      for name in fileSystem.names(in: directory) {
        for bytes in try StoredBytes.all(of: directory + "/" + name, in: fileSystem) {
          for marker in texts + [number] where bytes.contains(subsequence: marker) { count += 1 }
        }
      }
    }
    return count
  }

  /// Checks that the log opens, folds to the same from its start and from its last checkpoint, and holds all records of the
  /// other clients at their positions.
  private func check(_ fileSystem: FaultyFileSystem, _ scene: Scene, _ place: Comment) throws {
    let log = try LogFixture.open(fileSystem)
    let records = try LogFixture.records(log)
    #expect(records.filter { !scene.positions.contains($0.position) } == scene.feed.expected, place)
    #expect(log.projection.position == scene.log.projection.position, place)
    #expect(log.projection.checkpoint() == scene.log.projection.checkpoint(), place)
    #expect(Set(log.closedSessions.keys).isSuperset(of: [scene.first, scene.second]), place)
    let whole = Projection(.empty)
    var observer = NoObserver()
    var reader = LogReader(log.segments.view, after: 0)
    while case .block(let block) = try reader.next(through: log.nextPosition - 1) {
      try whole.apply(block, observer: &observer)
    }
    #expect(whole.checkpoint() == log.projection.checkpoint(), place)
    let verified = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    #expect(verified.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil }, place)
  }

  /// Takes a user's share out of every segment.
  private func takeShare(of scene: Scene, _ fileSystem: FaultyFileSystem) throws -> Int64 {
    let directory = LogDirectory(path: LogFixture.directory, fileSystem: fileSystem)
    return try scene.log.segments.firstPositions.dropLast().reduce(0) { count, first in
      let forgetting = SegmentForgetting(
        directory: directory, options: PackedScene.options, scope: .share(of: UserIDs(owner: 7)), firstPosition: first)
      return count + (try forgetting.run().count)
    }
  }

  @Test(arguments: [0..<0, 0..<5, 1..<3]) func aUsersShareLeavesEachSegmentAndNothingElseChanges(packed: Range<Int>)
    throws
  {
    let scene = try Scene(packed: packed)
    /// The size of the user's records and sessions in each segment.
    func measure() throws -> [Int64?] {
      try scene.log.segments.firstPositions.dropLast().map { try scene.log.upkeep.measure($0).users[7] }
    }
    func checkpoints(_ fileSystem: FaultyFileSystem) throws -> [[SessionID]] {
      let log = try LogFixture.open(fileSystem.afterKill())
      return try log.segments.firstPositions.map { try log.segments.view.checkpoint(before: $0).sessions.map(\.id) }
    }
    func check(_ fileSystem: FaultyFileSystem, _ place: Comment) throws {
      let log = try LogFixture.open(fileSystem.afterKill())
      let records = try LogFixture.records(log)
      #expect(records.filter { !scene.positions.contains($0.position) } == scene.feed.expected, place)
      #expect(log.projection.checkpoint() == scene.log.projection.checkpoint(), place)
      #expect(Set(log.closedSessions.keys).isSuperset(of: [scene.first, scene.second]), place)
      for (found, before) in zip(try checkpoints(fileSystem), open) {
        #expect(found == before || found == before.filter { $0 != scene.first && $0 != scene.second }, place)
      }
      let verified = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
      #expect(verified.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil }, place)
    }
    #expect(try measure().allSatisfy { $0 != nil })
    let open = try checkpoints(scene.fileSystem)
    let start = scene.fileSystem.operations.count
    let whole = scene.fileSystem.afterKill()
    #expect(try takeShare(of: scene, scene.fileSystem) > 20)
    let operations = scene.fileSystem.operations.count - start
    #expect(try measure().allSatisfy { $0 == nil }, "nothing is left, not even in the heads")
    #expect(open[1...3].allSatisfy { $0.contains(scene.first) })
    try check(scene.fileSystem, "all of it")
    #expect(try takeShare(of: scene, scene.fileSystem) == 0, "nothing is left to take")
    // Each segment can be rewritten without the others, so a crash leaves a good log.
    for operation in stride(from: 0, to: operations, by: 7) {
      let stopped = whole.afterKill()
      stopped.crash(at: operation)
      _ = try? takeShare(of: scene, stopped)
      try check(stopped.afterKill(), "after operation \(operation)")
    }
  }

  /// A user may use the id of another user's session that was closed long ago.
  @Test func theIdOfASessionThatIsTakenOutMayBeAnotherUsersLater() throws {
    let id = SessionID(high: 1, low: 1)
    var builder = BlockBuilder(nextPosition: 1, received: 0, capacity: 1024)
    for user: UInt32 in [7, 8] {
      builder.append(Opening(client: ClientID(user: user, name: "client"), time: 1, policy: .safari), of: id)
      builder.append(Closing(time: 2, reason: .asked), of: id)
    }
    let finished = builder.finish(received: 10)
    let block = try #require(finished)
    var rewriter = ForgettingRewriter(.share(of: UserIDs(owner: 7)), .empty)
    var payload = ByteWriter(capacity: 256)
    try rewriter.rewrite(block.view, into: &payload)
    #expect(rewriter.count == 2)
  }

  @Test func aMeasuredSegmentCountsTheSameWhetherItIsPackedOrNot() throws {
    let scene = try Scene()
    let firsts = scene.log.segments.firstPositions.dropLast()
    let before = try firsts.map { try scene.log.upkeep.measure($0) }
    #expect(before.allSatisfy { $0.users.count > 1 && $0.users[7] ?? 0 > 0 })
    for first in firsts { _ = try scene.log.upkeep.pack(first) }
    #expect(try firsts.map { try scene.log.upkeep.measure($0) } == before)
  }

  /// A head of 57 MB had counted for a user who had 20 KB of records behind it.
  @Test(arguments: [false, true]) func aHeadCountsForThoseWhoHaveSessionsOpen(isPacked: Bool) throws {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var observer = NoObserver()
    func open(_ id: UInt64, of user: UInt32, title: String?) throws {
      builder.append(
        Opening(client: ClientID(user: user, name: "client"), time: 1, title: title, policy: .safari),
        of: SessionID(high: 0, low: id))
      let finished = builder.finish(received: 10)
      let block = try #require(finished)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
    }
    func roll() throws {
      try log.writer.roll(log.projection.checkpoint())
      let sealed = SealedSegment(bytes: log.writer.status.sealedBytes, lastReceived: log.projection.received)
      log.segments.add(log.writer.status.segment, sealing: sealed)
    }
    try open(1, of: 7, title: String(repeating: "x", count: 4000))
    let first = log.projection.position + 1
    try roll()
    try open(2, of: 8, title: nil)
    try roll()
    if isPacked { _ = try log.upkeep.pack(first) }
    let users = try log.upkeep.measure(first).users
    #expect(users[7] ?? 0 > 4000)
    #expect(1..<1000 ~= users[8] ?? 0)
  }

  @Test(arguments: [0..<0, 0..<5, 1..<3]) func nothingRemainsOfAForgottenClientAndNothingElseChanges(packed: Range<Int>)
    throws
  {
    let scene = try Scene(packed: packed)
    #expect(try Self.found(scene.fileSystem) > 5)
    var count: Int64 = 0
    for job in scene.jobs { count += try scene.log.upkeep.forget(job).count }
    #expect(count == Int64(scene.positions.count))
    #expect(try Self.found(scene.fileSystem) == 0)
    let records = try LogFixture.records(scene.log)
    #expect(records == scene.feed.expected)
    // A second time there is nothing to do, and nothing is written.
    let before = scene.fileSystem.operations.count
    for job in scene.jobs { #expect(try scene.log.upkeep.forget(job).count == 0) }
    let again = scene.fileSystem.operations[before...]
    #expect(again.allSatisfy { [.open, .read, .size, .list, .syncDirectory, .remove].contains($0.operation) })
    // Packed segments are still packed.
    let verified = try LogVerification.verify(directory: LogFixture.directory, fileSystem: scene.fileSystem)
    #expect(verified.map(\.isPacked) == (0..<6).map(packed.contains))
    try scene.log.writer.stop()
    try check(scene.fileSystem.afterKill(), scene, "")
  }

  /// What is forgotten first leaves a tombstone for several records, which the second one has to count.
  @Test func forgettingAgainKeepsThePositionsOfEverythingElse() throws {
    let scene = try Scene()
    for job in scene.jobs(.session(scene.first)) { _ = try scene.log.upkeep.forget(job) }
    let before = try LogFixture.records(scene.log)
    let other = try #require(before.first { ![scene.first, scene.second].contains($0.session) }?.session)
    var count: Int64 = 0
    for job in scene.jobs(.session(other)) { count += try scene.log.upkeep.forget(job).count }
    #expect(count > 0)
    #expect(try LogFixture.records(scene.log) == before.filter { $0.session != other })
    for job in scene.jobs { _ = try scene.log.upkeep.forget(job) }
    #expect(
      try LogFixture.records(scene.log) == before.filter { ![other, scene.second].contains($0.session) })
  }

  @Test func oneSessionCanBeForgottenAlone() throws {
    let scene = try Scene()
    var count: Int64 = 0
    for job in scene.jobs(.session(scene.first)) { count += try scene.log.upkeep.forget(job).count }
    let records = try LogFixture.records(scene.log)
    #expect(!records.contains { $0.session == scene.first })
    let left = Int64(records.filter { $0.session == scene.second }.count)
    #expect(left > 10)
    #expect(count + left == Int64(scene.positions.count))
    try check(scene.fileSystem.afterKill(), scene, "")
    // Sessions that continue are not affected, nor are those of another user.
    for scope in [
      ForgetScope.client(name: Self.name, user: 8, except: []),
      .client(name: Self.name, user: nil, except: [scene.second]),
    ] {
      for job in scene.jobs(scope) { #expect(try scene.log.upkeep.forget(job).count == 0) }
    }
  }

  /// A reader that has a segment open continues in the old file, and opens the next segment as it is now.
  @Test func openReadersContinueInTheOldFile() throws {
    let scene = try Scene()
    let last = scene.log.projection.position
    var reader = LogReader(scene.log.segments.view, after: 0)
    guard case .block = try reader.next(through: last) else {
      Issue.record("no block")
      return
    }
    for job in scene.jobs { _ = try scene.log.upkeep.forget(job) }
    var found: [StoredRecord] = []
    while case .block(let block) = try reader.next(through: last) {
      var records = block.records()
      while let stored = try records.next() { found.append(stored) }
    }
    let second = scene.log.segments.firstPositions[1]
    #expect(found.contains { $0.session == scene.first && $0.position < second })
    #expect(!found.contains { $0.session == scene.first && $0.position >= second })
  }

  /// After a crash at any operation, with and without a power loss, the log opens and folds, the other clients' records are
  /// there, and forgetting can be completed.
  @Test(arguments: [0..<0, 0..<5]) func interruptedForgettingLosesNothingAndCanBeRepeated(packed: Range<Int>) throws {
    var random = SeededGenerator.ofThisRun(51)
    let complete = try Scene(packed: packed)
    let before = complete.fileSystem.operations.count
    for job in complete.jobs { _ = try complete.log.upkeep.forget(job) }
    let count = complete.fileSystem.operations.count - before
    for index in random.some(of: count, each: 20) {
      let scene = try Scene(packed: packed)
      scene.fileSystem.crash(at: index)
      let place: Comment = "operation \(index) of \(count)"
      #expect(throws: ReadError.self, place) {
        for job in scene.jobs { _ = try scene.log.upkeep.forget(job) }
      }
      for found in [scene.fileSystem.afterKill(), scene.fileSystem.afterPowerLoss(&random)] {
        try check(found.afterKill(), scene, place)
        let log = try LogFixture.open(found)
        for job in scene.jobs { _ = try log.upkeep.forget(job) }
        #expect(try Self.found(found) == 0, place)
        #expect(try LogFixture.records(log) == scene.feed.expected, place)
        // Even after an immediate power loss.
        let lost = found.afterPowerLoss(&random)
        #expect(try Self.found(lost) == 0, place)
        try check(lost, scene, place)
      }
    }
    #expect(count > 50)
  }

  @Test func anUnreadableSegmentIsReportedAndNotChanged() throws {
    let scene = try Scene()
    scene.fileSystem.damageBlock(1, in: LogFixture.firstSegment)
    let before = scene.fileSystem[LogFixture.firstSegment]
    let job = try #require(scene.jobs.last)
    let error = try thrown(ReadError.self) { _ = try scene.log.upkeep.forget(job) }
    guard case .logDamaged(let damage) = error else {
      Issue.record(error)
      return
    }
    #expect(damage.file == LogFixture.firstSegment)
    #expect(scene.fileSystem[LogFixture.firstSegment] == before)
  }

  @Test(arguments: [Errno.noSpace, .inputOutput]) func aFailedRewriteChangesNothingAndCanBeRepeated(
    code: Errno
  ) throws {
    let scene = try Scene()
    let before = scene.fileSystem[LogFixture.firstSegment]
    let job = try #require(scene.jobs.last)
    scene.fileSystem.failNext(.write, with: code)
    let error = try thrown(ReadError.self) { _ = try scene.log.upkeep.forget(job) }
    #expect("\(error)" == "cannot write \(LogFixture.firstSegment).tmp: \(code)")
    #expect(scene.fileSystem[LogFixture.firstSegment] == before)
    for job in scene.jobs { _ = try scene.log.upkeep.forget(job) }
    #expect(try Self.found(scene.fileSystem) == 0)
    // Writing still works.
    try scene.log.writer.sync()
  }
}

extension [UInt8] {
  /// Returns whether these bytes contain others.
  fileprivate func contains(subsequence wanted: [UInt8]) -> Bool {
    guard let first = wanted.first, count >= wanted.count else { return false }
    // A closure for each byte took most of the time of these tests.
    return withUnsafeBytes { bytes in
      var from = 0
      let last = bytes.count - wanted.count
      while from <= last {
        if bytes[from] == first, bytes[from..<(from + wanted.count)].elementsEqual(wanted) { return true }
        from += 1
      }
      return false
    }
  }
}
