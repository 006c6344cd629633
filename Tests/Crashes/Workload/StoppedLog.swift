import ScrollLog
import ScrollLogTesting
import ScrollModel

/// A small log with packed segments, a last segment with snapshots, and a clean shutdown at its end.
struct StoppedLog: Sendable {
  /// What a file is.
  enum Part: String, Sendable {
    case packed, last, snapshots
  }

  /// The bytes of the files by name, as the shutdown left them.
  let files: [String: [UInt8]]
  /// The same, as a kill instead of the shutdown would have left them.
  let killed: [String: [UInt8]]
  /// The first positions of the segments, in order.
  let firsts: [Position]
  /// Where the checkpoint and the blocks of the last segment end, and the last position at each of these ends.
  let ends: [(offset: Int, last: Position)]
  let ledger: Ledger
  let mode: SyncMode

  init(_ mode: SyncMode, seed: UInt64) throws {
    self.mode = mode
    let fileSystem = FaultyFileSystem()
    let identifiers = SeededCounter(seed)
    let log = try EventLog.open(
      directory: Workload.directory, fileSystem: fileSystem, options: Self.options(mode) { identifiers.next() })
    var clients = Clients(seed: seed)
    var ledger = Ledger()
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    var ends: [(offset: Int, last: Position)] = []
    for segment in 0..<3 {
      ends = [(Int(log.writer.status.segmentBytes), ledger.last)]
      for index in 0..<5 {
        let block = try clients.block(&builder, calls: 1 + index % 2, &ledger)
        try log.writer.write(block)
        var closings = Closings()
        try log.projection.apply(block.view, observer: &closings)
        log.segments.addBlock(block, log.writer.status, closed: closings.sessions)
        ends.append((Int(log.writer.status.segmentBytes), ledger.last))
        if segment == 2, index == 1 { try Self.snapshot(log) }
      }
      guard segment < 2 else { break }
      let before = log.writer.status
      try log.writer.roll(log.projection.checkpoint())
      log.segments.add(
        log.writer.status, sealing: SealedSegment(bytes: before.segmentBytes, lastReceived: log.projection.received))
    }
    for first in log.segments.firstPositions.dropLast() { _ = try log.upkeep.pack(first) }
    try Self.snapshot(log)
    killed = Self.files(of: fileSystem)
    try log.writer.stop()
    files = Self.files(of: fileSystem)
    firsts = log.segments.firstPositions
    self.ends = ends
    ledger.answer(durable: ledger.last, seen: ledger.last)
    self.ledger = ledger
    try require(files.count == 4 && firsts.count == 3, "a log of other files: \(files.keys.sorted())")
  }

  private static func snapshot(_ log: OpenedLog) throws {
    guard let snapshot = log.segments.snapshot(of: log.projection.checkpoint()) else {
      throw Problem("the segment has no records for a snapshot")
    }
    log.segments.addSnapshot(try log.writer.write(snapshot))
  }

  private static func files(of fileSystem: FaultyFileSystem) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in fileSystem.names(in: Workload.logPath) { files[name] = fileSystem[Workload.logPath + "/" + name] }
    return files
  }

  /// Options with several packed blocks in a segment, and checkpoints between them.
  static func options(_ mode: SyncMode, identifier: @escaping @Sendable () -> UInt64) -> LogOptions {
    var options = Workload.options(mode, boot: 1, identifier: identifier)
    options.packing = PackingSizes(block: 600, blockRecords: 20, checkpointDistance: 500)
    return options
  }

  /// The files in a fixed order, and what each one is.
  var parts: [(name: String, part: Part)] {
    files.keys.sorted().map { name in
      if name.hasSuffix(".snapshots") { return (name, .snapshots) }
      return (name, name.contains(String(firsts[firsts.count - 1])) ? .last : .packed)
    }
  }

  /// Returns a file system with the log, with other bytes in one of its files.
  func fileSystem(_ files: [String: [UInt8]], with bytes: [UInt8], of name: String) throws -> FaultyFileSystem {
    let fileSystem = FaultyFileSystem()
    for path in [Workload.directory, Workload.logPath] { _ = try fileSystem.makeDirectory(path) }
    for (other, content) in files { fileSystem[Workload.logPath + "/" + other] = other == name ? bytes : content }
    return fileSystem
  }

  func open(_ fileSystem: FaultyFileSystem) throws(OpenError) -> OpenedLog {
    let options = Self.options(mode) { 0x5EED_0FA1_1CA5_E500 }
    return try EventLog.open(directory: Workload.directory, fileSystem: fileSystem, options: options)
  }
}
