import Foundation
import Platform
import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Backups that are restored without what was forgotten since.
@Suite final class RestoreTests {
  private static let secret: ClientName = "secret/client"
  private let folder: String
  private var state: String { folder + "/state" }
  private var backup: String { folder + "/backup" }
  private var restored: String { folder + "/restored" }
  private let fileSystem = POSIXFileSystem()

  init() throws { folder = try Directory.makeTemporary(prefix: "/tmp/scrolld-restore-") }
  deinit { Directory.removeTree(folder) }

  private func options() throws -> LogOptions { LogOptions(syncMode: .commit, boot: try BootID.current()) }

  private func open(_ directory: String) throws -> OpenedLog {
    try EventLog.open(directory: directory, fileSystem: fileSystem, options: options())
  }

  private static func id(_ number: UInt64) -> SessionID { SessionID(high: 0xE, low: number) }

  /// Writes sessions of two clients. Session 1 of the secret client is closed, and the others are open.
  ///
  /// - Parameters:
  ///   - sessions: How many sessions; 3 take positions 1 to 3, 4 and 5, 6 and 7.
  ///   - rollsAfter: The sessions after which a segment begins.
  /// - Returns: Where the blocks end in their segments.
  @discardableResult private func makeLog(sessions: Int = 3, rollsAfter: Set<UInt64> = [2]) throws -> [Int64] {
    let log = try open(state)
    var ends: [Int64] = []
    var observer = NoObserver()
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    func event() -> Event {
      var event = Event(.scroll, time: 6)
      (event.x, event.y) = (1, 2)
      return event
    }
    func append(to id: SessionID, _ number: Int64) {
      builder.beginRun(id, firstNumber: number)
      builder.append(event())
      builder.endRun()
    }
    for number in 1...UInt64(sessions) {
      let name: ClientName = number == 2 ? "other" : number == 4 ? "another" : Self.secret
      let opening = Opening(
        client: ClientID(user: 7, name: name), time: 5, title: name == Self.secret ? "Secret title" : "Title",
        policy: .safari)
      builder.append(opening, of: Self.id(number))
      append(to: Self.id(number), 1)
      if number == 1 { builder.append(Closing(time: 9, reason: .asked), of: Self.id(1)) }
      let finished = builder.finish(received: 100 * Int64(number))
      let block = try #require(finished)
      try log.writer.write(block)
      ends.append(log.writer.status.segmentBytes)
      try log.projection.apply(block.view, observer: &observer)
      if rollsAfter.contains(number) { try log.writer.roll(log.projection.checkpoint()) }
    }
    try log.writer.stop()
    return ends
  }

  private func overwrite(_ file: String, at offset: Int64) throws {
    let descriptor = try FileDescriptor(opening: file, .readWrite)
    try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
      byte[0] = 0x5A
      _ = try descriptor.borrowed.write(UnsafeRawBufferPointer(byte), at: offset)
    }
  }

  private func makeBackup() throws {
    _ = try log.forgotten.makeKeys()
    _ = try LogBackup(ofStopped: state, fileSystem: fileSystem).write(to: backup, options: options())
  }

  private var log: OpenedLog { get throws { try open(state) } }

  private func records(of directory: String) throws -> [StoredRecord] {
    let log = try open(directory)
    return try LogFixture.records(log)
  }

  private func containsSecret(_ directory: String) throws -> Bool {
    for folder in [directory, directory + "/log"] {
      for name in try fileSystem.list(folder) where name != "log" {
        let bytes = try TextFile.readRegular(folder + "/" + name) ?? []
        if String(decoding: bytes, as: UTF8.self).lowercased().contains("secret") { return true }
      }
    }
    return false
  }

  private func restore(lists: [ForgottenList] = []) throws -> LogRestore.Report {
    try LogRestore(from: backup, to: restored, fileSystem: fileSystem, lists: lists).run(options: options())
  }

  private func forgetSecret(received: Int64 = 1000, except: Set<SessionID> = []) throws {
    _ = try log.upkeep.forget(.record(.client(name: Self.secret, user: nil, except: except), received: received))
  }

  @Test func withoutAnEntryEverythingComesBack() throws {
    try makeLog()
    let before = try records(of: state)
    try makeBackup()
    let report = try restore()
    #expect(report.forgotten == 0 && report.missingKeys.isEmpty)
    #expect(report.log.records == before.count)
    #expect(try records(of: restored) == before)
    #expect(try fileSystem.list(restored).sorted().contains("log.restoring") == false)
    // The original may have continued, and the backup may be restored more than once.
    #expect(try open(restored).generations.current > report.log.generation)
  }

  @Test func aBackupHasTheKeyAndTheListForTheirOwnerOnly() throws {
    try makeLog()
    try forgetSecret()
    try makeBackup()
    for name in [ForgottenFiles.listName, ForgottenFiles.keysName] {
      #expect(try TextFile.readRegular(backup + "/" + name) == TextFile.readRegular(state + "/" + name))
      for directory in [state, backup] { #expect(try FileStatus(directory + "/" + name).permissions == 0o600) }
    }
  }

  /// The list of the state directory counts, or a list that was kept elsewhere with the key from the backup.
  @Test(arguments: ["in place", "elsewhere"]) func forgottenPeopleStayForgotten(list: String) throws {
    try makeLog()
    try makeBackup()
    try forgetSecret()
    let kept = try log.forgotten.list()
    if list == "in place" {
      _ = try fileSystem.makeDirectory(restored)
      let files = ForgottenFiles(stateDirectory: restored, fileSystem: fileSystem)
      try files.merge(try log.forgotten)
    }
    let report = try restore(lists: list == "elsewhere" ? [kept] : [])
    #expect(report.forgotten == 5 && report.missingKeys.isEmpty)
    #expect(try !containsSecret(restored))
    let found = try records(of: restored)
    #expect(found.allSatisfy { $0.session == Self.id(2) } && found.count == 2)
    #expect(try open(restored).projection.sessions.keys.map { $0 } == [Self.id(2)])
    // The restored directory knows it for the next time.
    #expect(try open(restored).forgotten.list() == kept)
    #expect(try containsSecret(backup), "the backup stays as it is")
  }

  @Test func sessionsThatBeganAfterTheForgettingComeBack() throws {
    try makeLog()
    try makeBackup()
    try forgetSecret(received: 150)
    let report = try restore(lists: [try log.forgotten.list()])
    #expect(report.forgotten == 3)
    #expect(Set(try records(of: restored).map(\.session)) == [Self.id(2), Self.id(3)])
  }

  @Test func aSessionThatWasKeptComesBack() throws {
    try makeLog()
    try makeBackup()
    try forgetSecret(except: [Self.id(3)])
    _ = try restore(lists: [try log.forgotten.list()])
    #expect(Set(try records(of: restored).map(\.session)) == [Self.id(2), Self.id(3)])
  }

  @Test func clientsWithAnUnknownKeyAreReported() throws {
    try makeLog()
    try makeBackup()
    let key = ForgottenKey.random()
    var list = ForgottenList()
    list.add(
      ForgottenList.Client(key: key.id, hash: key.hash(of: Self.secret), user: nil),
      ForgottenList.Extent(received: .max))
    list.add(Self.id(1), at: 5)
    let report = try restore(lists: [list])
    #expect(report.missingKeys == [key.id])
    #expect(report.forgotten == 3)
    #expect(Set(try records(of: restored).map(\.session)) == [Self.id(2), Self.id(3)])
  }

  @Test func nothingIsRestoredOverALogOrFromADamagedBackup() throws {
    try makeLog()
    try makeBackup()
    #expect(throws: BackupError.hasLog(state + "/log")) {
      try LogRestore(from: backup, to: state, fileSystem: fileSystem).run(options: options())
    }
    #expect(throws: BackupError.noLog(folder + "/nothing")) {
      _ = try fileSystem.makeDirectory(folder + "/nothing")
      _ = try fileSystem.makeDirectory(folder + "/nothing/log")
      _ = try LogRestore(from: folder + "/nothing", to: restored, fileSystem: fileSystem).run(options: options())
    }
    let file = backup + "/log/" + SegmentName.of(1)
    let size = try FileStatus(file).size
    try overwrite(file, at: size / 2)
    for lists in [[], [try log.forgotten.list()]] {
      let error = try thrown(BackupError.self) { _ = try restore(lists: lists) }
      guard case .damaged(let damage) = error else {
        Issue.record(error)
        continue
      }
      #expect(damage.file == file)
      #expect(!Files.exists(restored + "/log"))
      #expect(try fileSystem.list(restored + "/log.restoring").isEmpty)
    }
  }

  /// The advice to repair a copy went in a circle: the repair changed nothing, and the copy was refused with the same advice.
  @Test(arguments: [false, true]) func aDamagedBackupIsRestoredAfterARepair(isPacked: Bool) throws {
    let ends = try makeLog(sessions: 4, rollsAfter: [3])
    try makeBackup()
    if isPacked {
      var small = try options()
      small.packing = PackingSizes(block: 1, blockRecords: 1, checkpointDistance: 1 << 20)
      _ = try SegmentPacking(
        directory: LogDirectory(path: backup, fileSystem: fileSystem), options: small, firstPosition: 1
      ).run()
    }
    let file = try fileSystem.openForReading(backup + "/log/" + SegmentName.of(1))
    var second = ends[0]
    if isPacked {
      let header = try SegmentReading.header(of: file, firstPosition: 1)
      second = try #require(PackedSegment(file, header).index.blocks.first { $0.firstPosition == 4 }).offset
    }
    try overwrite(backup + "/log/" + SegmentName.of(1), at: second + 60)
    for _ in 1...2 {
      let error = try thrown(BackupError.self) { _ = try restore() }
      guard case .damaged = error else {
        Issue.record(error)
        return
      }
    }
    let repaired = try LogRepair.run(directory: backup, fileSystem: fileSystem, options: options())
    #expect(repaired.sealedRepairs.flatMap(\.gaps) == [4...5] && !repaired.isIncomplete)
    for lists in [[], [try log.forgotten.list()]] {
      let report = try restore(lists: lists)
      #expect(report.log.segments.filter(\.isGapRepaired).compactMap(\.gap) == [4...5])
      #expect(report.derivedDamage.isEmpty && report.missing.isEmpty && report.unfinished == nil)
      #expect(try LogFixture.readable(open(restored)).keys.sorted() == [1, 2, 3, 6, 7, 8, 9])
      Directory.removeTree(restored)
    }
  }

  /// Such a backup was restored without a word, though the manual said that a damaged one is not.
  @Test func damageOfABackupThatCostsNoRecordIsReported() throws {
    try makeLog()
    try makeBackup()
    let name = backup + "/log/" + SegmentName.of(1)
    try overwrite(name, at: try FileStatus(name).size + 8)
    let found = try LogVerification.verify(directory: backup, fileSystem: fileSystem)[0]
    #expect(found.damage == .derived(isRebuilt: true))
    let report = try restore()
    #expect(report.derivedDamage.map(\.file) == [name])
    #expect(report.derivedDamage.map(\.reason) == found.problems.map(\.reason))
    #expect(report.log.records == 7)
  }

  /// Once, every backup that was made after a repair was refused, with the advice to repair it.
  @Test func aBackupOfARepairedLogIsRestoredWithItsGap() throws {
    let ends = try makeLog(rollsAfter: [])
    try overwrite(state + "/log/" + SegmentName.of(1), at: ends[0] + 70)
    let repaired = try LogRepair.run(
      directory: state, fileSystem: fileSystem, options: options(), isDryRun: false)
    #expect(repaired.repair?.gaps == [4...5])
    try makeBackup()
    for lists in [[], [try log.forgotten.list()]] {
      let report = try restore(lists: lists)
      #expect(report.log.segments.compactMap(\.gap) == [4...5])
      #expect(report.log.records == 5 && report.unfinished == nil)
      #expect(try LogFixture.readable(open(restored)).keys.sorted() == [1, 2, 3, 6, 7])
      Directory.removeTree(restored)
    }
    // What was forgotten is removed on both sides.
    try forgetSecret()
    let report = try restore(lists: [try log.forgotten.list()])
    #expect(report.forgotten == 5)
    #expect(try !containsSecret(restored))
  }

  /// A copy of a backup that was interrupted passed for a whole one.
  @Test func aBackupThatEndsInTheMiddleOfABlockIsReported() throws {
    let ends = try makeLog(rollsAfter: [])
    try makeBackup()
    let file = try #require(FileHandle(forUpdatingAtPath: backup + "/log/" + SegmentName.of(1)))
    try file.truncate(atOffset: UInt64(ends[1] + 30))
    try file.close()
    let report = try restore()
    #expect(report.log.records < 7)
    #expect(report.unfinished?.file == backup + "/log/" + SegmentName.of(1))
    let whole = try records(of: restored)
    #expect(whole.map(\.position) == Array(1...Position(report.log.records)))
  }

  /// Such a restore ended without a word, or blamed a repair that nobody had made.
  @Test(arguments: [6, 8] as [Position], [false, true])
  func aBackupWithoutOneOfItsFilesIsRestoredAndReported(first: Position, isPacked: Bool) throws {
    try makeLog(sessions: 4, rollsAfter: [2, 3])
    try makeBackup()
    let directory = LogDirectory(path: backup, fileSystem: fileSystem)
    if isPacked {
      for sealed in [1, 6] as [Position] {
        _ = try SegmentPacking(directory: directory, options: options(), firstPosition: sealed).run()
      }
    }
    try fileSystem.remove(directory.path(ofSegment: first))
    let missing = MissingSegments(
      file: directory.path(ofSegment: first), firstPosition: first, lastPosition: first == 6 ? 7 : nil)
    let found = try LogVerification.verify(directory: backup, fileSystem: fileSystem)
    #expect(found.compactMap(\.missing) == [missing])
    try forgetSecret()
    for lists in [[], [try log.forgotten.list()]] {
      let report = try restore(lists: lists)
      #expect(report.missing == [missing] && report.unfinished == nil)
      #expect(report.log.isDamaged)
      #expect(try containsSecret(restored) == lists.isEmpty)
      let positions = try LogFixture.readable(open(restored)).keys.sorted()
      let other: [Position] = first == 6 ? [4, 5, 8, 9] : [4, 5]
      let left: [Position] = first == 6 ? [1, 2, 3, 4, 5, 8, 9] : Array(1...7)
      #expect(positions == (lists.isEmpty ? left : other))
      Directory.removeTree(restored)
    }
  }

  /// Without a seal nothing shows that a repair left the gap.
  @Test func aBackupWithASegmentThatEndsEarlyIsDamaged() throws {
    let ends = try makeLog()
    try makeBackup()
    let file = try fileSystem.openForWriting(backup + "/log/" + SegmentName.of(1))
    try file.truncate(to: ends[0])
    let error = try thrown(BackupError.self) { _ = try restore() }
    #expect("\(error)".hasSuffix("the segment ends after position 3, but the next one begins at 6"))
  }

  /// Whenever it is interrupted, the state directory has no log; and the next restore finds its way.
  /// An interrupted restore of another backup leaves its files where this one puts its own.
  @Test func filesOfAnEarlierRestoreGetIntoNoLog() throws {
    try makeLog()
    try makeBackup()
    let left = restored + "/" + LogRestore.unfinishedName
    for path in [restored, left] { _ = try fileSystem.makeDirectory(path) }
    for name in [SegmentName.of(99), SegmentName.of(1), SegmentName.of(1) + ".tmp", SegmentName.snapshots(1)] {
      try Array("left".utf8).withUnsafeBytes { try fileSystem.create(left + "/" + name).write($0, at: 0) }
    }
    _ = try restore()
    #expect(try fileSystem.list(restored + "/log").sorted() == fileSystem.list(backup + "/log").sorted())
    #expect(!Files.exists(left))
    #expect(try records(of: restored) == records(of: state))
  }

  @Test func anInterruptedRestoreLeavesNoLog() throws {
    struct Interrupted: Error {}
    try makeLog()
    try makeBackup()
    try forgetSecret()
    let lists = [try log.forgotten.list()]
    var calls = 0
    while true {
      var left = calls
      do {
        _ = try LogRestore(from: backup, to: restored, fileSystem: fileSystem, lists: lists).run(options: options()) {
          _ in
          left -= 1
          if left < 0 { throw Interrupted() }
        }
        break
      } catch is Interrupted {
        #expect(!Files.exists(restored + "/log"))
        calls += 1
      }
    }
    #expect(calls > 5)
    #expect(try !containsSecret(restored))
    #expect(Set(try records(of: restored).map(\.session)) == [Self.id(2)])
  }
}
