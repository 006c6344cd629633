import ScrollModel

/// A reading of a checkpoint in pieces, since one of thousands of sessions takes long:
///
///     let reading = try view.checkpointReading(before: position)
///     …
///     if let fold = try reading.step() { … }    // otherwise call again when there is time
///
/// A step reads about 128 KiB, or decodes up to 64 sessions. Several queries can share a reading: any of them makes the next
/// step.
///
/// It reads the files that it opened first. If the segment was rewritten in the meantime, ``identifier`` is another one than that
/// of a reader of the blocks, and the fold must not be continued with them.
public final class CheckpointReading {
  /// Where a checkpoint is.
  private enum Place {
    /// In a snapshot beside the segment.
    case snapshot(SnapshotPlace)
    /// Within a packed segment.
    case inner(PackedIndex.InnerCheckpoint)
    /// At the segment's head.
    case head
  }

  /// The position before which the last checkpoint is read.
  public let position: Position
  /// The identifier of the segment's file. A file that is rewritten gets another one.
  public let identifier: UInt64
  /// The version of the fold that made the checkpoint, once it is read; `nil` if it is the log's.
  public private(set) var otherVersion: UInt32?

  private let log: LogView
  private let file: any File
  private let segment: Position
  /// The checkpoints within the segment that were not bad so far.
  private var inner: [PackedIndex.InnerCheckpoint]
  private var place: Place
  /// The position of the checkpoint that it began with.
  private let expected: Position
  /// The blocks that are being read; `nil` between two places, and at the end.
  private var blocks: CheckpointBlocks?
  /// The fold with the sessions that are read.
  private var fold: Projection?
  private var isRead = false

  /// Begins to read the last checkpoint before a position.
  ///
  /// - Parameters:
  ///   - file: the segment.
  ///   - inner: the checkpoints within the segment.
  init(
    _ log: LogView, _ file: any File, _ header: SegmentHeader, inner: [PackedIndex.InnerCheckpoint],
    before position: Position
  ) {
    self.log = log
    self.file = file
    self.position = position
    let inner = inner.filter { $0.position < position }
    let place = Self.place(log, header.firstPosition, header.identifier, inner, before: position)
    self.inner = inner
    self.place = place
    identifier = header.identifier
    segment = header.firstPosition
    expected = Self.position(of: place, header.firstPosition)
  }

  private static func place(
    _ log: LogView, _ segment: Position, _ identifier: UInt64, _ inner: [PackedIndex.InnerCheckpoint],
    before position: Position
  ) -> Place {
    if let found = log.segments.snapshot(in: segment, before: position, identifier: identifier) {
      return .snapshot(found)
    }
    return inner.last.map { .inner($0) } ?? .head
  }

  private static func position(of place: Place, _ segment: Position) -> Position {
    switch place {
    case .snapshot(let snapshot): snapshot.position
    case .inner(let inner): inner.position
    case .head: segment - 1
    }
  }

  /// How much memory the reading holds, in bytes. The fold counts from the beginning.
  public var heldBytes: Int {
    (fold?.queriedSize ?? 0) + (blocks?.heldBytes ?? 0) + inner.count * MemoryLayout<PackedIndex.InnerCheckpoint>.size
  }

  /// Whether another reading would read the same checkpoint of the same file.
  public func isSame(as other: CheckpointReading) -> Bool {
    segment == other.segment && identifier == other.identifier && expected == other.expected
      && log.foldVersion == other.log.foldVersion
  }

  /// Reads the next piece.
  ///
  /// - Returns: the fold of a query at the checkpoint, with all sessions, once everything is read; otherwise `nil`. It must not be
  ///   changed, but copied.
  /// - Throws: ``ReadError``. The next call begins again.
  public func step() throws(ReadError) -> Projection? {
    if isRead { return fold }
    let fold = fold ?? Projection(foldVersion: log.foldVersion) { _, _ in true }
    self.fold = fold
    guard let checkpoint = try read() else {
      // The place may have changed, and with it the fold.
      self.fold?.add(blocks?.takeSessions() ?? [])
      return nil
    }
    fold.add(checkpoint.sessions)
    fold.move(to: checkpoint)
    isRead = true
    return fold
  }

  /// Reads everything in one go, with all that a checkpoint has of its sessions. No step must have been made before.
  ///
  /// - Throws: ``ReadError``.
  public func checkpoint() throws(ReadError) -> Checkpoint {
    while true {
      if let checkpoint = try read() { return checkpoint }
    }
  }

  /// Reads a piece of the checkpoint at the place, or changes the place if that is bad.
  ///
  /// - Returns: the checkpoint, without the sessions that were taken, once everything is read.
  private func read() throws(ReadError) -> Checkpoint? {
    do {
      if blocks == nil { blocks = try opened() }
      guard let (checkpoint, _) = try blocks?.step() else { return nil }
      blocks = nil
      if checkpoint.foldVersion != log.foldVersion, case .inner = place {
        leave()
        return nil
      }
      otherVersion = checkpoint.foldVersion == log.foldVersion ? nil : checkpoint.foldVersion
      return checkpoint
    } catch {
      blocks = nil
      fold = nil
      switch place {
      case .snapshot(let snapshot):
        log.segments.forget(snapshot, of: segment)
        leave()
        return nil
      case .inner where !(error is FileError):
        // Bad bytes here cost only the time to fold from an earlier checkpoint. Verification reports them.
        leave()
        return nil
      case .inner, .head:
        throw ReadError(error, file: file.path, offset: 0)
      }
    }
  }

  private func opened() throws -> CheckpointBlocks {
    switch place {
    case .snapshot(let snapshot):
      let directory = log.segments.directory
      let file = try directory.fileSystem.openForReading(directory.path(ofSnapshots: segment))
      let scanner = SegmentScanner(file, identifier: identifier, offset: snapshot.checkpointStart)
      return CheckpointBlocks(scanner, firstPosition: snapshot.position + 1, kind: .checkpoint)
    case .inner(let inner):
      let scanner = SegmentScanner(file, identifier: identifier, offset: inner.offset)
      return CheckpointBlocks(scanner, firstPosition: inner.position + 1, kind: .innerCheckpoint)
    case .head:
      let scanner = SegmentScanner(file, identifier: identifier)
      return CheckpointBlocks(scanner, firstPosition: segment, kind: .checkpoint)
    }
  }

  /// Leaves a place whose checkpoint cannot be used for the next one further back.
  private func leave() {
    fold = nil
    if case .inner = place { inner.removeLast() }
    place = Self.place(log, segment, identifier, inner, before: position)
  }
}
