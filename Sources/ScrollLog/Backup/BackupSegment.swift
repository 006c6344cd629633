import ScrollModel

/// The last segment of a backup, read up to a position so that it can be rewritten.
struct BackupSegment {
  private let file: any File
  private let header: SegmentHeader
  /// The fold over the segment up to the position.
  private(set) var fold: SegmentFold
  private let checkpoint: Checkpoint
  private let generations: GenerationHistory
  /// The blocks after the checkpoint, and how many of them to copy.
  private let blocks: SegmentBlocks
  private var count = 0

  /// Reads a segment, which a daemon may be writing to after the position.
  ///
  /// - Throws: ``FileError``; ``LogDamage`` when a part of it cannot be read.
  init(_ directory: LogDirectory, firstPosition: Position, through last: Position) throws {
    file = try directory.fileSystem.openForReading(directory.path(ofSegment: firstPosition))
    header = try SegmentReading.header(of: file, firstPosition: firstPosition)
    var scanner = SegmentScanner(file, identifier: header.identifier)
    (checkpoint, generations) = try SegmentReading.checkpoint(&scanner, firstPosition: firstPosition)
    fold = SegmentFold(checkpoint, generations, boot: header.boot, syncMode: header.syncMode)
    // It may have been sealed and packed in the meantime.
    blocks = SegmentBlocks(scanner, isPacked: header.isPacked)
    var blocks = blocks
    var offset = blocks.offset
    // Marks right after the position belong to it, since one may begin a generation.
    while case .block(let block, let bytes, let at) = try blocks.readNext(),
      fold.projection.position < last || block.kind != .records, block.kind != .seal
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

  /// Writes what was read, with a new identifier, and with a new generation and a clean shutdown at its end.
  ///
  /// - Returns: the size of the file.
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
      // The block was good when it was read before.
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
