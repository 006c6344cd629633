import ScrollModel

/// The last segment of a backup: read up to a position, to be written anew.
struct BackupSegment {
  private let file: any File
  private let header: SegmentHeader
  /// What the segment holds up to the position.
  private(set) var fold: SegmentFold
  private let checkpoint: Checkpoint
  private let generations: GenerationHistory
  /// The blocks behind the checkpoint, and how many of them are copied.
  private let blocks: SegmentBlocks
  private var count = 0

  /// Reads a segment, which a daemon may be writing to behind the position.
  ///
  /// - Throws: ``FileError``, or ``LogDamage`` where something in it can't be read.
  init(_ directory: LogDirectory, firstPosition: Position, through last: Position) throws {
    file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
    header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    var scanner = SegmentScanner(file, identifier: header.identifier)
    (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
    // It may be sealed and packed meanwhile.
    blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
    var blocks = blocks
    var offset = blocks.offset
    // Marks behind the position belong to it: they may tell of a generation.
    while case .block(let block, let bytes, let at) = try blocks.readNext(),
      fold.projection.position < last || block.kind != .records
    {
      do throws(ContentError) {
        try fold.take(block, block.view(bytes, at: at))
      } catch {
        throw LogDamage(file: file.path, offset: offset, reason: "\(error)")
      }
      count += 1
      offset = blocks.offset
    }
    if fold.projection.position < last {
      throw LogDamage(
        file: file.path, offset: offset, reason: "position \(fold.projection.position + 1) is missing here")
    }
  }

  /// Writes what was read under a new identifier, with a start of a generation and a clean stop at its end.
  ///
  /// - Returns: where it ends.
  func write(
    to copyFile: any File, _ generation: Generation, _ options: LogOptions
  ) throws(FileError) -> Int64 {
    var copyHeader = header
    copyHeader.identifier = options.identifier()
    copyHeader.created = options.now()
    copyHeader.boot = options.boot
    copyHeader.syncMode = options.syncMode.code
    copyHeader.isPacked = false
    var copy = SegmentCopy(to: copyFile, copyHeader)
    copy.append(checkpoint, generations)
    var blocks = blocks
    for _ in 0..<count {
      // It was good a moment ago.
      guard case .block(let block, let bytes, let at) = try blocks.readNext() else {
        throw FileError(.read, path: file.path, code: .inputOutput)
      }
      try copy.append(block, block.view(bytes, at: at))
    }
    let (last, received) = (fold.projection.position, fold.projection.received)
    let mark = StartMark(generation: generation, boot: .ofCopy, syncMode: options.syncMode.code)
    copy.append(mark, after: last, received: received)
    copy.append(nil, after: last, received: received)
    return try copy.finish()
  }
}
