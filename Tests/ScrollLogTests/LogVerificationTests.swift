import Platform
import ScrollLogTesting
import ScrollModel
import Synchronization
import Testing

@testable import ScrollLog

/// The verification of a whole log.
@Suite struct LogVerificationTests {
  private func log(stopped: Bool) throws -> (fileSystem: FaultyFileSystem, log: OpenedLog, starts: [Int64]) {
    let fileSystem = FaultyFileSystem()
    let log = try LogFixture.open(fileSystem)
    var builder = LogFixture.builder(log)
    var feed = RandomFeed(.ofThisRun(8))
    var observer = NoObserver()
    var starts: [Int64] = []
    for index in 0..<10 {
      let block = feed.block(&builder)
      starts.append(log.writer.status.segmentBytes)
      try log.writer.write(block)
      try log.projection.apply(block.view, observer: &observer)
      if index == 4 { try log.writer.roll(log.projection.checkpoint()) }
    }
    if stopped { try log.writer.stop() }
    return (fileSystem, log, starts)
  }

  private func verify(_ fileSystem: FaultyFileSystem) throws -> [SegmentVerification] {
    try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
  }

  @Test(arguments: [false, true]) func aGoodLogHasNoProblems(stopped: Bool) throws {
    let (fileSystem, log, _) = try log(stopped: stopped)
    let before = fileSystem.operations.count
    let found = try verify(fileSystem)
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil })
    #expect(found[0].firstPosition == 1)
    #expect(found[1].firstPosition == found[0].lastPosition + 1)
    #expect(found[1].lastPosition == log.nextPosition - 1)
    #expect(found.reduce(0) { $0 + $1.records } == Int(log.nextPosition) - 1)
    #expect(found.map(\.blocks) == [6, stopped ? 6 : 5], "the first one has a seal")
    // Verification works beside a daemon that holds the lock.
    let looks: Set<FileOperation> = [.open, .read, .size, .list]
    #expect(Set(fileSystem.operations[before...].map(\.operation)).isSubset(of: looks))
  }

  @Test func damageIsReportedAndTheRestIsChecked() throws {
    let (fileSystem, log, starts) = try log(stopped: true)
    fileSystem[LogFixture.firstSegment]?[Int(starts[1]) + BlockHeader.Offset.payload] ^= 1
    fileSystem[LogFixture.firstSegment]?[Int(starts[3]) + BlockHeader.Offset.payload] ^= 1
    let second = "/state/log/" + SegmentName.of(log.writer.status.segment)
    fileSystem[second]?[Int(starts[7]) + BlockHeader.Offset.payload] ^= 1
    let found = try verify(fileSystem)
    #expect(found[0].problems.map(\.offset) == [starts[1], starts[3]])
    #expect(found[0].blocks == 4)
    #expect(found[1].problems.map(\.offset) == [starts[7]])
    #expect(found[1].blocks == 5)
    #expect(found[1].unfinished == nil)
  }

  /// The mark of a start holds no record, but readers of a segment that is not packed don't get past it.
  @Test func damageBetweenTheRecordsOfAnUnpackedSegmentCostsThoseAfterIt() throws {
    let fileSystem = FaultyFileSystem()
    var feed = RandomFeed(.ofThisRun(8))
    var mark = 0
    for life in 0..<2 {
      let log = try LogFixture.open(fileSystem)
      var next = LogFixture.builder(log)
      if life == 1 { mark = Int(log.writer.status.segmentBytes) - 1 }
      var observer = NoObserver()
      for _ in 0..<3 {
        let block = feed.block(&next)
        try log.writer.write(block)
        try log.projection.apply(block.view, observer: &observer)
      }
      if life == 1 { try log.writer.roll(log.projection.checkpoint()) }
      try log.writer.stop()
    }
    fileSystem[LogFixture.firstSegment]?[mark] ^= 1
    let found = try verify(fileSystem)
    #expect(found[0].problems.count == 1)
    #expect(found[0].damage == .records)
  }

  @Test func anUnfinishedBlockIsNotDamage() throws {
    let (fileSystem, log, starts) = try log(stopped: false)
    let second = "/state/log/" + SegmentName.of(log.writer.status.segment)
    fileSystem[second]?[Int(starts[9]) + BlockHeader.Offset.payload] ^= 1
    let found = try verify(fileSystem)
    #expect(found[1].problems.isEmpty)
    #expect(found[1].unfinished?.offset == starts[9])
    #expect(found[1].blocks == 4)
  }

  /// The daemon finishes a write, and makes another one, while the check examines the first.
  @Test func aBlockFinishedDuringTheCheckIsNotDamage() throws {
    let (fileSystem, log, starts) = try log(stopped: false)
    let second = "/state/log/" + SegmentName.of(log.writer.status.segment)
    let whole = try #require(fileSystem[second])
    var unfinished = whole
    let first = Int(starts[8])..<Int(starts[9])
    unfinished.replaceSubrange(first, with: repeatElement(0, count: first.count))
    // The check reads the file in one window, and asks for its size before it looks for blocks after bad bytes.
    let check = HealingFileSystem(base: fileSystem, path: second, before: unfinished)
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: check)
    #expect(found[1].problems.isEmpty)
    #expect(found[1].unfinished == nil)
    #expect(found[1].lastPosition == log.nextPosition - 1)
  }

  @Test func aSealedSegmentThatEndsEarlyIsDamaged() throws {
    let (fileSystem, _, starts) = try log(stopped: true)
    let bytes = try #require(fileSystem[LogFixture.firstSegment])
    fileSystem[LogFixture.firstSegment] = Array(bytes[..<Int(starts[4])])
    let found = try verify(fileSystem)
    #expect(found[0].problems.map(\.offset) == [starts[4]])
  }

  @Test func aBadHeaderIsDamage() throws {
    let (fileSystem, _, _) = try log(stopped: true)
    fileSystem[LogFixture.firstSegment]?[SegmentHeader.Offset.generation] ^= 1
    #expect(
      try verify(fileSystem)[0].problems == [.init(offset: 0, reason: "the checksum of the segment's header is wrong")])
    fileSystem[LogFixture.firstSegment] = []
    #expect(try verify(fileSystem)[0].problems == [.init(offset: 0, reason: "the segment's header is cut off")])
  }
}

/// A file system that shows an older content of a file until its size is read for the second time.
private struct HealingFileSystem: FileSystem {
  let base: FaultyFileSystem
  let path: String
  let before: [UInt8]

  func openForReading(_ path: String) throws(FileError) -> any File {
    let file = try base.openForReading(path)
    return path == self.path ? HealingFile(file, before) : file
  }

  func list(_ path: String) throws(FileError) -> [String] { try base.list(path) }

  // Verification needs nothing else.
  func openForWriting(_ path: String) throws(FileError) -> any File { throw refusal(.open, path) }
  func create(_ path: String) throws(FileError) -> any File { throw refusal(.create, path) }
  func rename(_ path: String, to newPath: String) throws(FileError) { throw refusal(.rename, path) }
  func remove(_ path: String) throws(FileError) { throw refusal(.remove, path) }
  func makeDirectory(_ path: String) throws(FileError) -> Bool { throw refusal(.makeDirectory, path) }
  func syncDirectory(_ path: String) throws(FileError) { throw refusal(.syncDirectory, path) }

  func properties(of path: String) throws(FileError) -> FileProperties { throw refusal(.look, path) }
  func space(_ path: String) throws(FileError) -> FileSystemSpace { throw refusal(.space, path) }

  private func refusal(_ operation: FileOperation, _ path: String) -> FileError {
    FileError(operation, path: path, code: .inputOutput)
  }
}

private final class HealingFile: File {
  private let base: any File
  private let before: [UInt8]
  private let sizes = Mutex(0)

  init(_ base: any File, _ before: [UInt8]) {
    self.base = base
    self.before = before
  }

  var path: String { base.path }

  func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    if sizes.withLock({ $0 }) > 1 { return try base.readSome(at: offset, into: buffer) }
    let part = before.dropFirst(Int(offset)).prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func properties() throws(FileError) -> FileProperties {
    sizes.withLock { $0 += 1 }
    return try base.properties()
  }

  func writeSome(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int { throw refusal(.write) }
  func sync() throws(FileError) { throw refusal(.sync) }
  func truncate(to size: Int64) throws(FileError) { throw refusal(.truncate) }
  func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool { throw refusal(.preallocate) }
  func lock() throws(FileError) -> Bool { throw refusal(.lock) }

  private func refusal(_ operation: FileOperation) -> FileError {
    FileError(operation, path: path, code: .inputOutput)
  }
}
