import ScrollLogTesting
import ScrollModel

@testable import ScrollLog

/// A log that is written as a daemon does, with snapshots when a test asks for them.
struct SnapshotScene {
  static let snapshotsPath = "/state/log/00000000000000000001.snapshots"

  let fileSystem: FaultyFileSystem
  let log: OpenedLog
  private(set) var feed: RandomFeed
  private var builder: BlockBuilderBox

  /// Opens a log and continues a feed.
  init(
    _ fileSystem: FaultyFileSystem = FaultyFileSystem(), _ options: LogOptions = SnapshotScene.options(),
    feed: RandomFeed = RandomFeed(SeededGenerator(seed: SeededGenerator.seed))
  ) throws {
    self.fileSystem = fileSystem
    log = try LogFixture.open(fileSystem, options)
    self.feed = feed
    builder = BlockBuilderBox(LogFixture.builder(log))
  }

  /// Continues with an open log.
  init(_ log: OpenedLog, _ fileSystem: FaultyFileSystem, _ feed: RandomFeed) {
    self.fileSystem = fileSystem
    self.log = log
    self.feed = feed
    builder = BlockBuilderBox(LogFixture.builder(log))
  }

  /// Options with which a start uses a snapshot and reads nothing before it.
  static func options(
    _ mode: SyncMode = .commit, foldVersion: UInt32 = Policy.foldVersion, checkedAtStart: Int64 = 0
  ) -> LogOptions {
    var options = LogFixture.options(mode)
    options.foldVersion = foldVersion
    options.checkedAtStart = checkedAtStart
    return options
  }

  /// The file system as the next daemon finds it.
  var left: FaultyFileSystem { fileSystem.afterKill() }

  mutating func write(_ blocks: Int, calls: Int = 3) throws {
    for _ in 0..<blocks { try write(feed.block(&builder.builder, calls: calls)) }
  }

  mutating func write(_ block: Block) throws {
    try log.writer.write(block)
    var closed = ClosedSessions()
    try log.projection.apply(block.view, observer: &closed)
    log.segments.addBlock(block, log.writer.status, closed: closed.sessions)
  }

  /// Writes a snapshot of everything written so far, if there is anything.
  func snapshot() throws {
    guard let snapshot = log.segments.snapshot(of: log.projection.checkpoint()) else { return }
    log.segments.addSnapshot(try log.writer.write(snapshot))
  }

  func roll() throws {
    let before = log.writer.status
    try log.writer.roll(log.projection.checkpoint())
    log.segments.add(
      log.writer.status,
      sealing: SealedSegment(
        bytes: log.writer.status.sealedBytes, snapshotBytes: before.snapshotBytes, lastReceived: log.projection.received
      ))
  }

  /// Shuts down as a daemon does, with a snapshot.
  func stop() throws {
    if log.projection.position > log.segments.lastSnapshot?.position ?? 0 { try snapshot() }
    try log.writer.stop()
  }
}

/// A reference to a builder, which cannot be copied.
private final class BlockBuilderBox {
  var builder: BlockBuilder

  init(_ builder: consuming BlockBuilder) { self.builder = builder }
}
