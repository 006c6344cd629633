import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// Helpers that open, fill and read logs in a ``FaultyFileSystem``.
enum LogFixture {
  static let directory = "/state"
  static let logPath = "/state/log"
  static let firstSegment = "/state/log/00000000000000000001.scrolllog"

  static func options(_ mode: SyncMode = .commit, boot: UInt64 = 1) -> LogOptions {
    var options = LogOptions(syncMode: mode, boot: BootID(high: 0, low: boot))
    options.preallocation = 4096
    options.now = { 1_700_000_000_000_000 }
    return options
  }

  static func open(
    _ fileSystem: FaultyFileSystem, _ options: LogOptions = options()
  ) throws(OpenError) -> OpenedLog {
    try EventLog.open(directory: directory, fileSystem: fileSystem, options: options)
  }

  static func builder(_ log: OpenedLog) -> BlockBuilder {
    BlockBuilder(nextPosition: log.nextPosition, received: log.projection.received, capacity: 1024)
  }

  /// Reads all records of a log up to a position.
  static func records(_ segments: SegmentList, through last: Position) throws -> [StoredRecord] {
    var reader = LogReader(segments.view, after: segments.firstPosition - 1)
    var found: [StoredRecord] = []
    while true {
      switch try reader.next(through: last) {
      case .block(let block):
        var records = block.records()
        while let stored = try records.next() { found.append(stored) }
      case .skipped: break
      case .atHorizon: return found
      }
    }
  }

  static func records(_ log: OpenedLog) throws -> [StoredRecord] {
    try records(log.segments, through: log.nextPosition - 1)
  }

  /// Reads all records that can be read, by position.
  static func readable(_ log: OpenedLog, through end: Position? = nil) throws -> [Position: StoredRecord] {
    let last = end ?? log.nextPosition - 1
    var found: [Position: StoredRecord] = [:]
    var after = log.segments.firstPosition - 1
    while true {
      var reader = LogReader(log.segments.view, after: after)
      do {
        while true {
          let step = try reader.next(through: last)
          if case .atHorizon = step { return found }
          guard case .block(let block) = step else { continue }
          after = block.lastPosition
          var records = block.records()
          while let stored = try records.next() { found[stored.position] = stored }
        }
      } catch ReadError.logDamaged {
        guard let next = log.segments.firstPositions.first(where: { $0 > after + 1 }) else { return found }
        after = next - 1
      }
    }
  }

  /// A log with one segment of some blocks, shut down cleanly or killed.
  static func filled(
    blocks: Int, _ mode: SyncMode = .commit, seed: UInt64, stopped: Bool = false, calls: Int = 3
  ) throws -> (fileSystem: FaultyFileSystem, expected: [StoredRecord], ends: [Int64]) {
    let fileSystem = FaultyFileSystem()
    let log = try open(fileSystem, options(mode))
    var builder = builder(log)
    var feed = RandomFeed(SeededGenerator(seed: seed))
    var ends = [log.writer.status.segmentBytes]
    for _ in 0..<blocks {
      try log.writer.write(feed.block(&builder, calls: calls))
      ends.append(log.writer.status.segmentBytes)
    }
    if stopped { try log.writer.stop() }
    return (fileSystem.afterKill(), feed.expected, ends)
  }
}
