import ScrollModel

/// A copy of a log up to a position, that a daemon can be started on.
///
/// Sealed segments are copied byte for byte. The last one is written anew up to the position, with a start of a new
/// generation and a clean stop at its end: what comes behind the position in the copy is another history than what came
/// behind it in the log, and whoever has seen the one must not be given the other for it.
///
/// Files are opened by name, and whatever form a segment has at that moment, it holds the same records. So it doesn't
/// matter whether the last one is sealed meanwhile, or another one packed. What must not happen is that one is removed, and
/// that records are forgotten; the daemon sees to that as long as somebody asks for it.
public struct LogBackup {
  /// How many bytes are copied at once.
  private static let chunk = 1 << 20

  private let source: LogDirectory
  /// The first positions of the segments, in order; never empty.
  private let firstPositions: [Position]
  /// The last position that is copied.
  private let lastPosition: Position
  /// Keeps daemons away from a log that none has open.
  private let lock: LogLock?

  /// A copy of a log that its daemon keeps as it is meanwhile.
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
    lock = nil
  }

  /// A copy of a log that no daemon has open. As long as this lives none can open it.
  ///
  /// - Parameter path: the state directory.
  /// - Throws: ``OpenError`` when a daemon has it, or when it has to be repaired first; ``BackupError/noLog(_:)``.
  public init(ofStopped path: String, fileSystem: any FileSystem) throws {
    source = LogDirectory(path: path, fileSystem: fileSystem)
    firstPositions = try source.segments()
    guard let last = firstPositions.last else { throw BackupError.noLog(path) }
    lock = try LogLock(source)
    lastPosition = try LastSegment(source, firstPosition: last).projection.position
  }

  /// Copies the log into a directory, syncs it, and checks the copy.
  ///
  /// The newest segment is copied first: what an interrupted copy leaves is a log that begins later. After an error nothing
  /// is left of it.
  ///
  /// - Parameters:
  ///   - path: the directory, which is made where it is not there; else it must be empty.
  ///   - progress: is called with the number of bytes copied so far, and between the files as they are checked. What it throws
  ///     ends the backup.
  /// - Throws: ``BackupError``, ``FileError``, ``LogDamage`` for a last segment that can't be read, and what `progress`
  ///   throws. Damage in sealed segments is copied with them, and reported.
  public func write(
    to path: String, options: LogOptions, progress: (Int64) throws -> Void = { _ in }
  ) throws -> BackupReport {
    defer { withExtendedLifetime(lock) {} }
    let target = LogDirectory(path: path, fileSystem: source.fileSystem)
    try makeDirectories(target)
    var made: [String] = []
    do {
      var copied: Int64 = 0
      var generation: Generation = 0
      for first in firstPositions.reversed() {
        let name = SegmentName.of(first)
        made.append(name)
        if first == firstPositions.last {
          generation = try writeLast(to: target, options, &copied)
        } else {
          try copy(name, to: target, &copied, progress)
        }
        try progress(copied)
      }
      let found = try verify(target) { try progress(copied) }
      return BackupReport(directory: path, segments: found, generation: generation, bytes: copied)
    } catch {
      // The copy may hold what somebody wants to be gone, and must not be taken for a whole one. Why it failed says more
      // than why it can't be removed.
      for name in made {
        try? target.removeIfThere(target.path(of: name))
        try? target.removeIfThere(target.path(of: name + SegmentName.temporarySuffix))
      }
      throw error
    }
  }

  /// Checks the copy, file by file.
  private func verify(_ target: LogDirectory, _ progress: () throws -> Void) throws -> [SegmentVerification] {
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

  /// Copies a sealed segment as it is.
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

  /// Writes the last segment anew, up to the last position.
  ///
  /// - Returns: the generation that begins behind it.
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
