import ScrollLogTesting
import Testing

@testable import ScrollLog

/// The file of a segment, without a writer or any blocks.
@Suite struct SegmentFileTests {
  private static let path = "/file"

  private let fileSystem = FaultyFileSystem()

  private func file(preallocation: Int64 = 1000) throws -> SegmentFile {
    SegmentFile(
      try fileSystem.create(Self.path), of: fileSystem, end: 0, allocatedEnd: 0, preallocation: preallocation)
  }

  private var size: Int? { fileSystem[Self.path]?.count }

  private func bytes(_ count: Int) -> Bytes {
    let bytes = Bytes(capacity: count)
    bytes.base.initializeMemory(as: UInt8.self, repeating: 7, count: count)
    return bytes
  }

  @Test func spaceIsReservedAheadAndFreedAgain() throws {
    var file = try file()
    try file.append(bytes(100), 100, keeping: 50)
    #expect(file.end == 100)
    #expect(file.reservedBytes == 1000)
    #expect(size == 1000)
    try file.append(bytes(900), 900, keeping: 50)
    #expect(file.reservedBytes == 1100)
    try file.freeReserve(keeping: 30)
    #expect(file.reservedBytes == 1030)
    #expect(size == 1030)
  }

  @Test func onlySyncedBytesCountAsSynced() throws {
    var file = try file()
    #expect(!file.needsSync)
    try file.append(bytes(10), 10)
    #expect(file.needsSync)
    #expect(file.syncedOffset == 0)
    try file.sync()
    #expect(!file.needsSync)
    #expect(file.syncedOffset == 10)
  }

  @Test func aBlockWithoutSpaceLeavesTheFileAndItsReserve() throws {
    var file = try file(preallocation: 100)
    try file.append(bytes(60), 60, keeping: 40)
    fileSystem.capacity = 120
    let error = try thrown(WriteError.self) { try file.append(bytes(50), 50, keeping: 40) }
    guard case .noSpace = error else {
      Issue.record(error)
      return
    }
    #expect(file.end == 60)
    #expect(size == 100)
    try file.append(bytes(40), 40)
    #expect(file.end == 100)
  }

  @Test func aPartlyWrittenBlockIsCutAndTheCutSynced() throws {
    var file = try file()
    try file.append(bytes(10), 10)
    try file.sync()
    fileSystem.failNext(.write, with: .noSpace)
    let error = try thrown(WriteError.self) { try file.append(bytes(20), 20) }
    guard case .noSpace = error else {
      Issue.record(error)
      return
    }
    #expect(size == 10)
    #expect(file.end == 10)
    #expect(file.needsSync)
    try file.sync()
    #expect(!file.needsSync)
  }

  @Test(arguments: [FileOperation.preallocate, .write, .sync, .truncate])
  func otherErrorsAreFailures(operation: FileOperation) throws {
    var file = try file()
    fileSystem.failNext(operation, with: .inputOutput)
    let error = try thrown(WriteError.self) {
      try file.append(bytes(20), 20)
      try file.sync()
      try file.freeReserve(keeping: 0)
    }
    #expect(error == .failed(FileError(operation, path: Self.path, code: .inputOutput)))
  }

  @Test func theNextFileBeginsWithTheReserveOfItsHead() throws {
    var file = try file()
    try file.append(bytes(20), 20)
    let next = file.next(try fileSystem.create("/next"), end: 500)
    #expect(next.end == 500)
    #expect(next.syncedOffset == 500)
    #expect(next.reservedBytes == 500 + SegmentHead.reserveForMarks)
    #expect(!next.needsSync)
  }
}
