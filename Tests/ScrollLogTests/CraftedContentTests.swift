import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Content with right checksums that no daemon ever wrote.
@Suite struct CraftedContentTests {
  private static let identifier: UInt64 = 1

  /// A file system with a log of one segment that consists of a checkpoint and one more block.
  private func log(_ checkpoint: Checkpoint, _ block: BlockHeader?, payload: [UInt8] = []) throws -> FaultyFileSystem {
    var writer = ByteWriter(capacity: 1024)
    let header = SegmentHeader(
      identifier: Self.identifier, generation: 1, firstPosition: 1, created: 0, boot: BootID(high: 0, low: 1),
      syncMode: SyncMode.commit.code)
    header.encode(into: &writer)
    CheckpointCoding.append(
      checkpoint, generations: GenerationHistory(), identifier: Self.identifier, to: &writer)
    if let block {
      FramedBlock.append(block, identifier: Self.identifier, to: &writer) { writer in
        payload.withUnsafeBytes { writer.append($0) }
      }
    }
    let fileSystem = FaultyFileSystem()
    _ = try fileSystem.makeDirectory(LogFixture.directory)
    _ = try fileSystem.makeDirectory(LogFixture.logPath)
    fileSystem[LogFixture.firstSegment] = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
    return fileSystem
  }

  /// Expects that verification and the start report the same damage.
  private func expectDamage(_ fileSystem: FaultyFileSystem) throws {
    let found = try LogVerification.verify(directory: LogFixture.directory, fileSystem: fileSystem)
    let problem = try #require(found.first?.problems.first)
    #expect {
      _ = try LogFixture.open(fileSystem)
    } throws: { error in
      guard let error = error as? OpenError, case .damaged(let damage) = error else { return false }
      return damage.offset == problem.offset && damage.reason == problem.reason
    }
  }

  /// The start used to skip such a block, whatever it held, while verification reported it.
  @Test func aBlockOfRecordsWithoutRecordsIsDamage() throws {
    let block = BlockHeader(
      payloadLength: 0, kind: .records, recordCount: 0, firstPosition: 1, received: 0, syncedTo: 0, syncedOffset: 0)
    try expectDamage(try log(.empty, block, payload: [0]))
    try expectDamage(try log(.empty, block))
  }

  @Test(arguments: [BlockKind.start, .cleanStop])
  func aMarkWithARecordCountIsDamage(kind: BlockKind) throws {
    let block = BlockHeader(
      payloadLength: 0, kind: kind, recordCount: 3, firstPosition: 1, received: 0, syncedTo: 0, syncedOffset: 0)
    var writer = ByteWriter(capacity: 64)
    StartMark(generation: 1, boot: BootID(high: 0, low: 1), syncMode: 0).encode(into: &writer)
    let mark = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
    try expectDamage(try log(.empty, block, payload: kind == .start ? mark : []))
  }

  /// One of the two used to vanish silently.
  @Test func aSessionOrAClientTwiceInACheckpointIsDamage() throws {
    let names: [(UInt64, String)] = [(1, "a"), (1, "b"), (2, "a")]
    let sessions = names.map { id, name in
      let opening = Opening(client: ClientID(user: 0, name: name), time: 0, policy: .safari)
      return Session(SessionID(high: 0, low: id), opening, position: 1, received: 0).checkpoint
    }
    for pair in [[0, 1], [0, 2]] {
      var checkpoint = Checkpoint.empty
      checkpoint.sessions = pair.map { sessions[$0] }
      try expectDamage(try log(checkpoint, nil))
    }
    var checkpoint = Checkpoint.empty
    checkpoint.sessions = [sessions[1], sessions[2]]
    #expect(try LogFixture.open(try log(checkpoint, nil)).projection.sessions.count == 2)
  }
}
