import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The list of what was forgotten: its text, its key, and that it survives any end of the daemon.
@Suite struct ForgottenListTests {
  private static let directory = LogFixture.directory
  private static let session = SessionID(high: 7, low: 9)
  private static let kept = SessionID(high: 7, low: 10)

  private static func key(_ byte: UInt8) throws -> ForgottenKey {
    try #require(ForgottenKey([UInt8](repeating: byte, count: 32)))
  }

  private func scope(_ name: ClientName, user: UInt32? = nil, except: Set<SessionID> = []) -> ForgetScope {
    .client(name: name, user: user, except: except)
  }

  /// A state directory with a log.
  private func opened(_ fileSystem: FaultyFileSystem = FaultyFileSystem()) throws -> OpenedLog {
    try LogFixture.open(fileSystem)
  }

  // MARK: Keys

  /// A backup's list has the hashes of its own keys.
  @Test(arguments: [false, true]) func theKeysOfABackupAreTakenOverWithItsList(hasOwn: Bool) throws {
    let fileSystem = FaultyFileSystem()
    func files(_ path: String) throws -> ForgottenFiles {
      _ = try fileSystem.makeDirectory(path)
      return ForgottenFiles(stateDirectory: path, fileSystem: fileSystem)
    }
    let (own, theirs) = (try files("/own"), try files("/backup"))
    if hasOwn { _ = try own.makeKeys() }
    let keys = try theirs.makeKeys()
    let hidden = keys.all[0].hash(of: "secret/client")
    var list = ForgottenList()
    list.add(ForgottenList.Client(key: keys.all[0].id, hash: hidden, user: nil), .init(received: 9))
    try theirs.add(list)
    try own.merge(theirs)
    let merged = try #require(try own.keys())
    #expect(merged.all.count == (hasOwn ? 2 : 1))
    let selection = ForgottenSelection(try own.list(), merged)
    #expect(selection.missingKeys.isEmpty)
    let client = ClientID(user: 3, name: "secret/client")
    #expect(selection.includes(Self.session, of: client, received: 9))
    #expect(!selection.includes(Self.session, of: client, received: 10))
    // The order of the keys stays, so that new hashes have the state directory's own.
    try own.merge(theirs)
    #expect(try own.keys() == merged)
  }

  /// Computed with Python's hmac.
  @Test func namesAreHashedWithHMACSHA256() throws {
    let key = try Self.key(0x0B)
    #expect(key.hash(of: "Hi There") == "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7")
    #expect(key.id == "557b7ef3d464e376")
    #expect(try Self.key(0x0C).hash(of: "Hi There") != key.hash(of: "Hi There"))
    #expect(ForgottenKey([1, 2, 3]) == nil)
    let random = ForgottenKey.random()
    #expect(random != ForgottenKey.random())
    #expect(Hexadecimal.bytes(of: random.digits).flatMap { ForgottenKey($0) } == random)
  }

  // MARK: Text

  @Test func theTextOfAListReadsBackAsTheSameList() throws {
    let key = try Self.key(1)
    var list = ForgottenList()
    #expect(try ForgottenList(text: list.text) == list)
    list.add(Self.session, at: 5)
    for (name, user) in [("a", nil), ("a", 7), ("b", UInt32.max)] as [(ClientName, UInt32?)] {
      list.add(
        ForgottenList.Client(key: key.id, hash: key.hash(of: name), user: user),
        ForgottenList.Extent(received: 9, except: user == 7 ? [Self.kept, Self.session] : []))
    }
    #expect(list.text.split(separator: "\n").count == 6)
    #expect(try ForgottenList(text: list.text) == list)
    #expect(list.keyIDs == [key.id])
  }

  @Test func aListThatIsCutShortOrChangedIsRefusedWithItsLine() throws {
    let key = try Self.key(1)
    var list = ForgottenList()
    list.add(Self.session, at: 5)
    list.add(ForgottenList.Client(key: key.id, hash: key.hash(of: "a"), user: 1), ForgottenList.Extent(received: 9))
    let text = list.text
    for count in 0..<(text.utf8.count - 1) {
      let cut = String(text.prefix(count))
      #expect(throws: ForgottenList.BadLine.self, "cut at \(count)") { try ForgottenList(text: cut) }
    }
    // The last newline is not needed.
    #expect(try ForgottenList(text: text.dropLast()) == list)
    let (good, end) = ("scrolld-forgotten 1\n", "end 1\n")
    for (line, reason) in [
      ("session \(Self.session)", "is not a session's id and a time"),
      ("session x 5", "is not a session's id and a time"),
      ("session \(Self.session) x", "is not a session's id and a time"),
      ("client \(key.id) \(key.id) * 5", "is not a key, a hash, a user and a time"),
      ("client \(key.id) \(key.hash(of: "a")) -1 5", "is not a key, a hash, a user and a time"),
      ("client \(key.id) \(key.hash(of: "a")) * 5 x", "is not a key, a hash, a user and a time"),
      (
        "client \(key.id.uppercased()) \(key.hash(of: "a").uppercased()) * 5", "is not a key, a hash, a user and a time"
      ),
      ("reader/window-1", "is neither a session, a client nor the end"),
      ("", "is neither a session, a client nor the end"),
    ] {
      let error = ForgottenList.BadLine(line: 2, offset: good.utf8.count, reason: reason)
      #expect(throws: error, "\(line)") { try ForgottenList(text: good + line + "\n" + end) }
    }
    for (text, line) in [("scrolld-forgotten 2\nend 0\n", 1), (good + "end 1\n", 2), (good + "end 0\nend 0\n", 3)] {
      let error = try thrown(ForgottenList.BadLine.self) { _ = try ForgottenList(text: text) }
      #expect(error.line == line)
    }
  }

  // MARK: Which sessions it has

  @Test func aSessionIsFoundByItsIDOrByItsClientUntilThen() throws {
    let (key, other) = (try Self.key(1), try Self.key(2))
    var list = ForgottenList()
    list.add(Self.session, at: 5)
    list.add(
      ForgottenList.Client(key: key.id, hash: key.hash(of: "a"), user: 7),
      ForgottenList.Extent(received: 100, except: [Self.kept]))
    list.add(
      ForgottenList.Client(key: other.id, hash: other.hash(of: "b"), user: nil), ForgottenList.Extent(received: 50))
    let selection = ForgottenSelection(list, ForgottenKeys(key, older: [other]))
    let id = SessionID(high: 1, low: 1)
    func includes(_ id: SessionID, _ name: ClientName, _ user: UInt32, _ received: Int64) -> Bool {
      selection.includes(id, of: ClientID(user: user, name: name), received: received)
    }
    #expect(includes(Self.session, "x", 1, .max))
    #expect(includes(id, "a", 7, 100) && !includes(id, "a", 7, 101), "it came back")
    #expect(!includes(id, "a", 8, 1), "another user's")
    #expect(!includes(Self.kept, "a", 7, 1), "it continued")
    #expect(includes(id, "b", 8, 50) && includes(id, "b", 9, 1) && !includes(id, "b", 8, 51))
    #expect(!includes(id, "c", 7, 1))
    #expect(selection.missingKeys.isEmpty)
    #expect(ForgottenSelection(list, ForgottenKeys(key)).missingKeys == [other.id])
    #expect(ForgottenSelection(list, nil).missingKeys == [key.id, other.id].sorted())
    #expect(!ForgottenSelection(list, ForgottenKeys(key)).includes(id, of: ClientID(user: 8, name: "b"), received: 1))
  }

  @Test func whatWasForgottenLaterIncludesWhatWasForgottenEarlier() throws {
    let key = try Self.key(1)
    let client = ForgottenList.Client(key: key.id, hash: key.hash(of: "a"), user: nil)
    let (early, late) = (ForgottenList.Extent(received: 5, except: [Self.kept]), ForgottenList.Extent(received: 9))
    for extents in [[early, late], [late, early]] {
      var list = ForgottenList()
      for extent in extents { list.add(client, extent) }
      #expect(list.clients == [client: late])
    }
    var (first, second) = (ForgottenList(), ForgottenList())
    first.add(client, early)
    second.add(client, late)
    second.add(Self.session, at: 3)
    first.merge(second)
    #expect(first == second)
  }

  // MARK: Files

  @Test func forgettingAddsToTheListWhateverTheLogHas() throws {
    let fileSystem = FaultyFileSystem()
    let log = try opened(fileSystem)
    for _ in 0..<2 {
      _ = try log.upkeep.forget(.record(.session(Self.session), received: 5))
      _ = try log.upkeep.forget(.record(scope("secret/client", user: 7, except: [Self.kept]), received: 6))
      _ = try log.upkeep.forget(.record(scope("secret/client"), received: 6))
    }
    let files = log.forgotten
    let keys = try files.keys()
    let list = try files.list()
    #expect(list.sessions == [Self.session: 5])
    #expect(list.clients.count == 2)
    let selection = ForgottenSelection(list, keys)
    #expect(selection.includes(SessionID(high: 1, low: 1), of: ClientID(user: 3, name: "secret/client"), received: 6))
    // Nobody reads a name there.
    for name in [ForgottenFiles.listName, ForgottenFiles.keysName] {
      let text = String(decoding: try #require(fileSystem[Self.directory + "/" + name]), as: UTF8.self)
      #expect(!text.isEmpty && !text.contains("secret"))
    }
    // The list and the key stay when the log is begun again.
    let again = try LogFixture.open(fileSystem.afterKill())
    #expect(try again.forgotten.list() == list && again.forgotten.keys() == keys)
  }

  /// After a crash at each operation, with and without a power loss, the list is whole, and what was reported as listed is in it.
  @Test func aListThatWasReportedSurvivesAnyCrash() throws {
    var random = SeededGenerator.ofThisRun(52)
    let jobs = (0..<4).flatMap { index -> [ForgetJob] in
      let client = ForgetScope.client(name: ClientName("c\(index)"), user: nil, except: [])
      return [.record(.session(SessionID(high: 5, low: UInt64(index))), received: 5), .record(client, received: 6)]
    }
    func run(_ log: OpenedLog, _ done: inout Int) throws {
      for job in jobs {
        _ = try log.upkeep.forget(job)
        done += 1
      }
    }
    let complete = FaultyFileSystem()
    let log = try opened(complete)
    let before = complete.operations.count
    var all = 0
    try run(log, &all)
    let count = complete.operations.count - before
    #expect(count > 40)
    for index in 0..<count {
      let fileSystem = FaultyFileSystem()
      let log = try opened(fileSystem)
      fileSystem.crash(at: index)
      var done = 0
      #expect(throws: ReadError.self) { try run(log, &done) }
      for found in [fileSystem.afterKill(), fileSystem.afterPowerLoss(&random)] {
        let place: Comment = "operation \(index) of \(count), \(done) jobs done"
        let files = try LogFixture.open(found).forgotten
        let list = try files.list()
        let selection = ForgottenSelection(list, try files.keys())
        #expect(selection.missingKeys.isEmpty, place)
        for job in jobs.prefix(done) {
          guard case .record(let scope, _) = job else { continue }
          switch scope {
          case .session(let id): #expect(list.sessions[id] == 5, place)
          case .client(let name, _, _):
            #expect(selection.includes(Self.session, of: ClientID(user: 1, name: name), received: 6), place)
          case .share, .listed: break
          }
        }
        // It can be continued.
        var done = 0
        try run(try LogFixture.open(found), &done)
        #expect(try files.list().sessions.count == 4 && files.list().clients.count == 4, place)
      }
    }
  }

  /// The first attempt renamed the file and failed to sync its name; the second one found the entry there, and synced nothing.
  @Test func anEntryThatAnEarlierAttemptFailedToSyncIsSyncedByTheNextOne() throws {
    var random = SeededGenerator.ofThisRun(53)
    let job = ForgetJob.record(.session(Self.session), received: 5)
    for code in [Errno.noSpace, .inputOutput] {
      let fileSystem = FaultyFileSystem()
      let log = try opened(fileSystem)
      fileSystem.failNext(.syncDirectory, with: code)
      #expect(throws: ReadError.self) { _ = try log.upkeep.forget(job) }
      #expect(try log.forgotten.list().sessions == [Self.session: 5])
      _ = try log.upkeep.forget(job)
      for _ in 0..<16 {
        let list = try LogFixture.open(fileSystem.afterPowerLoss(&random)).forgotten.list()
        #expect(list.sessions == [Self.session: 5])
      }
    }
  }

  @Test func aDamagedListOrKeyIsReportedAndNotReplaced() throws {
    for (name, bytes) in [
      (ForgottenFiles.listName, "scrolld-forgotten 1\nsession"), (ForgottenFiles.keysName, "abc\n"),
      (ForgottenFiles.keysName, ""), (ForgottenFiles.listName, ""),
    ] {
      let fileSystem = FaultyFileSystem()
      let log = try opened(fileSystem)
      let path = Self.directory + "/" + name
      fileSystem[path] = Array(bytes.utf8)
      let error = try thrown(ReadError.self) { _ = try log.upkeep.forget(.record(scope("a"), received: 1)) }
      guard case .logDamaged(let damage) = error else {
        Issue.record(error)
        continue
      }
      #expect(damage.file == path)
      #expect(fileSystem[path] == Array(bytes.utf8))
    }
  }

  // MARK: Searching

  @Test func aSearchFindsRecordsInTheSegmentThatIsWritten() throws {
    var scene = try SnapshotScene()
    let log = scene.log
    var ends: [Position] = [0]
    for _ in 0..<30 {
      try scene.write(1)
      ends.append(log.projection.position)
    }
    let records = try LogFixture.records(log)
    let last = log.projection.position
    func isFound(_ scope: ForgetScope, in segment: Position, through: Position) throws -> Bool {
      try log.upkeep.forget(.search(segment, scope, through: through)).count > 0
    }
    let first = try #require(records.first { $0.session == records.last?.session })
    let (id, opening) = (
      first.session,
      try #require(
        records.compactMap { record -> Opening? in
          guard case .open(let opening) = record.record, record.session == first.session else { return nil }
          return opening
        }.first)
    )
    // A search ends where a block ends.
    let before = try #require(ends.last { $0 < first.position })
    let client = ForgetScope.client(name: opening.client.name, user: opening.client.user, except: [])
    for scope in [.session(id), client] {
      #expect(try isFound(scope, in: 1, through: last))
      #expect(try !isFound(scope, in: 1, through: before) || scope != .session(id))
    }
    for scope in [ForgetScope.session(Self.session), self.scope("nobody at all")] {
      #expect(try !isFound(scope, in: 1, through: last))
    }
    // In the next segment, the checkpoint has those that are still open.
    try scene.roll()
    let next = last + 1
    for session in log.projection.sessions.values {
      #expect(try isFound(.session(session.id), in: next, through: last))
    }
    let closed = try #require(records.first { if case .close = $0.record { true } else { false } })
    #expect(try !isFound(.session(closed.session), in: next, through: last))
    #expect(throws: ReadError.self) { _ = try isFound(.session(Self.session), in: next, through: last + 5) }
  }

  // MARK: Snapshots

  /// Snapshots hold states, names and titles. Only the tests of the service noticed once that they stayed.
  @Test func noSnapshotSurvivesForgettingEvenIfTheSegmentHasNothing() throws {
    for scope in [ForgetScope.session(Self.session), scope("nobody")] {
      var scene = try SnapshotScene()
      try scene.write(6)
      try scene.snapshot()
      try scene.write(2)
      try scene.snapshot()
      try scene.roll()
      #expect(scene.fileSystem[SnapshotScene.snapshotsPath] != nil)
      _ = try scene.log.upkeep.forget(.segment(1, scope))
      #expect(scene.fileSystem[SnapshotScene.snapshotsPath] == nil)
      var random = SeededGenerator.ofThisRun(53)
      #expect(scene.fileSystem.afterPowerLoss(&random)[SnapshotScene.snapshotsPath] == nil)
    }
  }
}
