import ScrollModel

/// The head of a segment: its header and its checkpoint.
struct SegmentHead {
  /// How much space stays reserved after the last block of records and after a clean shutdown, in bytes: enough for the
  /// marks of some dozen starts and shutdowns on a full disk.
  static let reserveForMarks: Int64 = 4 << 10

  var header: SegmentHeader
  var checkpoint: Checkpoint
  var generations: GenerationHistory

  init(_ checkpoint: Checkpoint, _ generations: GenerationHistory, _ options: LogOptions) {
    header = SegmentHeader(
      identifier: options.identifier(), generation: generations.current, firstPosition: checkpoint.position + 1,
      created: options.now(), boot: options.boot, syncMode: options.syncMode.code)
    self.checkpoint = checkpoint
    self.generations = generations
  }

  /// Writes the head to a file that has only a temporary name, and reserves room for marks after it.
  ///
  /// - Returns: where the head ends.
  func write(to file: any File) throws(FileError) -> Int64 {
    var writer = ByteWriter(capacity: 4096)
    header.encode(into: &writer)
    CheckpointCoding.append(checkpoint, generations: generations, identifier: header.identifier, to: &writer)
    try writer.bytes.withBytes(0, writer.count) { (bytes) throws(FileError) in try file.write(bytes, at: 0) }
    _ = try file.preallocate(from: Int64(writer.count), count: SegmentHead.reserveForMarks)
    return Int64(writer.count)
  }
}
