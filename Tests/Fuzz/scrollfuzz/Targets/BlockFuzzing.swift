import ScrollLogTesting
import ScrollModel

@testable import ScrollLog

/// A log whose only segment has any content with right checksums. If it opens, it can be read and written, and opens again
/// unchanged.
enum BlockFuzzing: Fuzzing {
  private static let directory = "/state"

  private static func options() -> LogOptions {
    var options = LogOptions(syncMode: .commit, boot: BootID(high: 0, low: 2))
    options.now = { 1_700_000_000_000_000 }
    options.identifier = { 0xF022 }
    return options
  }

  static func check(_ input: UnsafeRawBufferPointer) throws {
    let segment = SegmentInput(input)
    let fileSystem = FaultyFileSystem()
    for path in [directory, directory + "/log"] { _ = try fileSystem.makeDirectory(path) }
    fileSystem["\(directory)/log/\(SegmentName.of(segment.firstPosition))"] = segment.bytes
    let before = try LogVerification.verify(directory: directory, fileSystem: fileSystem)
    let log: OpenedLog
    do throws(OpenError) {
      log = try EventLog.open(directory: directory, fileSystem: fileSystem, options: options())
    } catch {
      guard case .damaged = error else { throw error }
      // The file is unchanged, and a reader gets records or one of its own errors.
      try readAll(
        SegmentList(LogDirectory(path: directory, fileSystem: fileSystem), [segment.firstPosition]).view, .max)
      return
    }
    // Positions near the greatest number can be read, but not continued.
    guard log.nextPosition < .max / 4 else { return }
    let last = log.nextPosition - 1
    let count = try readAll(log.segments.view, last)
    hold(count <= last - segment.firstPosition + 1, "at most one record a position: \(count)")
    hold(before.allSatisfy { $0.problems.isEmpty }, "a log that opens has no problems: \(before)")
    for (id, session) in log.projection.sessions {
      hold(log.projection.session(of: session.client)?.id == id, "a client has its session")
    }
    try resume(log, fileSystem)
  }

  /// - Returns: the number of records.
  @discardableResult
  private static func readAll(_ log: LogView, _ last: Position) throws -> Int64 {
    var reader = LogReader(log, after: log.firstPosition - 1)
    var count: Int64 = 0
    var latest = log.firstPosition - 1
    do {
      while true {
        switch try reader.next(through: last) {
        case .block(let block):
          var records = block.records()
          while let stored = try records.next() {
            hold(stored.position > latest, "positions grow")
            latest = stored.position
            count += 1
          }
        case .skipped: break
        case .atHorizon: return count
        }
      }
    } catch {
      // Without a horizon known to be good, one of the log's own errors is fine as well.
      guard last == .max, error is ReadError || error is ContentError else { throw error }
      return count
    }
  }

  private static func resume(_ log: OpenedLog, _ fileSystem: FaultyFileSystem) throws {
    let projection = log.projection
    let id = SessionID(high: .max, low: .max)
    let client = ClientID(user: .max, name: "fuzz")
    if projection.sessions[id] == nil, projection.session(of: client) == nil {
      var builder = BlockBuilder(nextPosition: log.nextPosition, received: projection.received, capacity: 1024)
      builder.append(Opening(client: client, time: 1, policy: .safari), of: id)
      builder.beginRun(id, firstNumber: 1)
      builder.append(Event(.zoomBegin, time: 1))
      builder.endRun()
      guard let block = builder.finish(received: 1) else { return }
      try log.writer.write(block)
      var observer = NoObserver()
      try projection.apply(block.view, observer: &observer)
      try log.writer.roll(projection.checkpoint())
    }
    try log.writer.stop()
    // Without the lock, which ends with its holder.
    let left = fileSystem.afterKill()
    let again = try EventLog.open(directory: directory, fileSystem: left, options: options())
    hold(encoded(again.projection) == encoded(projection), "a log opens again unchanged")
    let found = try LogVerification.verify(directory: directory, fileSystem: left)
    hold(found.allSatisfy { $0.problems.isEmpty && $0.unfinished == nil }, "a recovered log is whole: \(found)")
  }

  /// Returns the bytes of the sessions. States cannot be compared directly, since one with a NaN does not equal itself.
  private static func encoded(_ projection: Projection) -> [UInt8] {
    var checkpoint = projection.checkpoint()
    checkpoint.sessions.sort { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    var writer = ByteWriter(capacity: 4096)
    CheckpointCoding.append(checkpoint, generations: GenerationHistory(), identifier: 0, to: &writer)
    return writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
  }
}
