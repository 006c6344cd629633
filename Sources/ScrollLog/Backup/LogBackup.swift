import ScrollModel

/// A copy of a log up to a position, on which a daemon can be started.
///
/// Sealed segments are copied byte for byte. The last one is rewritten up to the position, with a new generation and a clean
/// shutdown at its end: what follows the position in the copy is a different history from what follows it in the log, and
/// subscribers must not mistake one for the other.
///
/// Files are opened by name, and whatever form a segment has at that moment, it holds the same records. So the last segment
/// may be sealed during the backup, and others may be packed. But none may be removed, and no records may be forgotten: the
/// daemon postpones both while the `Backup` call lasts.
public struct LogBackup {
  /// How many bytes to copy at a time.
  private static let chunk = 1 << 20

  private let source: LogDirectory
  /// The first positions of the segments, in order; never empty.
  let firstPositions: [Position]
  /// The last position to copy.
  private let lastPosition: Position
  /// The files that are missing after the last segment, which is sealed then; `nil` if it is the newest one.
  private let newestMissing: MissingSegments?
  /// The lock that keeps daemons from opening the log; `nil` when a daemon has it open.
  private let lock: LogLock?

  /// Creates a copy of a log that a running daemon keeps unchanged for the time being.
  ///
  /// - Parameters:
  ///   - path: the state directory.
  ///   - firstPositions: the first positions of its segments, in order, at least one.
  ///   - lastPosition: the last position to copy, which is written and synced.
  public init(
    of path: String, fileSystem: any FileSystem, firstPositions: [Position], through lastPosition: Position
  ) {
    source = LogDirectory(path: path, fileSystem: fileSystem)
    self.firstPositions = firstPositions
    self.lastPosition = lastPosition
    newestMissing = nil
    lock = nil
  }

  /// Creates a copy of a log that no daemon has open, and that none can open as long as this object lives.
  ///
  /// - Parameter path: the state directory.
  /// - Throws: ``OpenError`` when a daemon has the log open, or when it has to be repaired first; ``BackupError/noLog(_:)``.
  public init(ofStopped path: String, fileSystem: any FileSystem) throws {
    source = LogDirectory(path: path, fileSystem: fileSystem)
    firstPositions = try source.segments()
    guard let last = firstPositions.last else { throw BackupError.noLog(path) }
    lock = try LogLock(source)
    let end = try SourceEnd(source, last)
    lastPosition = end.position
    newestMissing = end.nextSegment.map { [source] in
      MissingSegments(file: source.path(ofSegment: $0), firstPosition: $0, lastPosition: nil)
    }
  }

  /// Copies the log into a directory, syncs it, and checks the copy.
  ///
  /// Copies the newest segment first, so that an interrupted copy is a log that begins later. After an error nothing of the
  /// copy remains.
  ///
  /// - Parameters:
  ///   - path: the directory, which is created unless it exists and is empty.
  ///   - progress: called with the number of bytes copied so far, also while the files are checked. An error that it throws
  ///     ends the backup.
  /// - Throws: ``BackupError``; ``FileError``; ``LogDamage`` when the last segment cannot be read; what `progress` throws.
  ///   Damage in sealed segments is copied and reported.
  public func write(
    to path: String, options: LogOptions, progress: (Int64) throws -> Void = { _ in }
  ) throws -> BackupReport {
    defer { withExtendedLifetime(lock) {} }
    let target = LogDirectory(path: path, fileSystem: source.fileSystem)
    try makeDirectories(target)
    let forgotten = ForgottenFiles(target)
    do {
      // The key is needed to restore the backup without what will be forgotten.
      do throws(ReadError) {
        try forgotten.merge(ForgottenFiles(source))
      } catch {
        if case .file(let error) = error { throw error }
        throw error
      }
      let (generation, bytes) = try copySegments(to: target, options, progress)
      let found = try verify(target) { try progress(bytes) }
      return BackupReport(
        directory: path, segments: found, generation: generation, bytes: bytes, missing: missing(found))
    } catch {
      // An incomplete copy must not pass for a whole one. Errors of the removal are ignored: the first error matters more.
      removeSegments(from: target)
      try? forgotten.remove()
      throw error
    }
  }

  /// Copies the segments into the log of a directory, which is empty.
  ///
  /// - Returns: the generation that begins after the copy, and the copy's size in bytes.
  func copySegments(
    to target: LogDirectory, _ options: LogOptions, _ progress: (Int64) throws -> Void
  ) throws -> (Generation, bytes: Int64) {
    var copied: Int64 = 0
    var generation: Generation = 0
    for first in firstPositions.reversed() {
      if first == firstPositions.last {
        generation = try writeLast(to: target, options, &copied)
      } else {
        try copy(SegmentName.of(first), to: target, &copied, progress)
      }
      try progress(copied)
    }
    return (generation, copied)
  }

  /// Removes what ``copySegments(to:_:_:)`` made, as far as possible.
  func removeSegments(from target: LogDirectory) {
    for name in firstPositions.map(SegmentName.of) {
      try? target.removeIfThere(target.path(of: name))
      try? target.removeIfThere(target.path(of: name + SegmentName.temporarySuffix))
    }
  }

  /// Returns which files the log lacks.
  ///
  /// - Parameter segments: the result of checking the copy. Its last segment is whole whatever the log lacks after it.
  func missing(_ segments: [SegmentVerification]) -> [MissingSegments] {
    let between = segments.compactMap(\.missing).map {
      MissingSegments(
        file: source.path(ofSegment: $0.firstPosition), firstPosition: $0.firstPosition, lastPosition: $0.lastPosition)
    }
    return between + [newestMissing].compactMap(\.self)
  }

  /// Checks the files of the copy.
  func verify(_ target: LogDirectory, _ progress: () throws -> Void) throws -> [SegmentVerification] {
    let next = firstPositions.dropFirst().map(Optional.some) + [nil]
    return try zip(firstPositions, next).map { first, next in
      var check = SegmentCheck(target, firstPosition: first, nextSegment: next)
      try check.run()
      try progress()
      return check.found
    }
  }

  private func makeDirectories(_ target: LogDirectory) throws {
    let fileSystem = target.fileSystem
    if try fileSystem.makeDirectory(target.path) {
      try fileSystem.syncDirectory(target.parentPath)
    } else if try fileSystem.list(target.path).contains(where: { $0 != LogDirectory.logName }) {
      throw BackupError.notEmpty(target.path)
    }
    if try fileSystem.makeDirectory(target.logPath) {
      try fileSystem.syncDirectory(target.path)
    } else if try !fileSystem.list(target.logPath).isEmpty {
      throw BackupError.notEmpty(target.path)
    }
  }

  /// Copies a sealed segment byte for byte.
  private func copy(
    _ name: String, to target: LogDirectory, _ copied: inout Int64, _ progress: (Int64) throws -> Void
  ) throws {
    let file = try source.fileSystem.openForReading(source.path(of: name))
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 8)
    defer { window.deallocate() }
    let temporary = target.path(of: name + SegmentName.temporarySuffix)
    let copy = try target.fileSystem.create(temporary)
    var end: Int64 = 0
    while true {
      let count = try file.read(at: end, into: window)
      try copy.write(UnsafeRawBufferPointer(rebasing: window[..<count]), at: end)
      end += Int64(count)
      copied += Int64(count)
      if count < window.count { break }
      try progress(copied)
    }
    try copy.sync()
    try target.fileSystem.rename(temporary, to: target.path(of: name))
    try target.fileSystem.syncDirectory(target.logPath)
  }

  /// Rewrites the last segment up to the last position.
  ///
  /// - Returns: the generation that begins after it.
  private func writeLast(
    to target: LogDirectory, _ options: LogOptions, _ copied: inout Int64
  ) throws -> Generation {
    let first = firstPositions.last ?? 1
    let segment = try BackupSegment(source, firstPosition: first, through: lastPosition)
    let generation = GenerationHistory.generation(beyond: segment.fold.generations.current, now: options.now())
    let (_, end) = try target.createWhole(SegmentName.of(first)) { file throws(FileError) in
      try segment.write(to: file, generation, options)
    }
    copied += end
    return generation
  }
}

/// Where a log ends that no daemon has open.
private struct SourceEnd {
  /// The last position.
  let position: Position
  /// The first position of the segment that is missing after the last one; `nil` if none is.
  let nextSegment: Position?

  /// - Throws: ``OpenError`` when the log has to be repaired first.
  init(_ directory: LogDirectory, _ last: Position) throws {
    let file = try directory.fileSystem.openForReading(directory.path(ofSegment: last))
    // A bad header is reported by the reading of the segment.
    if let header = try? SegmentReading.header(of: file, firstPosition: last), header.isPacked {
      let packed = try PackedSegmentFold(file, header)
      guard packed.isExact else {
        throw OpenError.damaged(
          packed.damage
            ?? LogDamage(file: file.path, offset: 0, reason: "position \(packed.end - 1) is missing"))
      }
      (position, nextSegment) = (packed.end - 1, packed.end)
    } else {
      let segment = try LastSegment(directory, firstPosition: last)
      (position, nextSegment) = (segment.projection.position, segment.fold.nextSegment)
    }
  }
}
