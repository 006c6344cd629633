import ScrollModel

/// Where the files of a log are: the state directory with its `lock`, and `log/` in it.
struct LogDirectory: Sendable {
  static let logName = "log"

  let path: String
  let fileSystem: any FileSystem

  var lockPath: String { path + "/lock" }
  var logPath: String { path + "/" + Self.logName }

  /// The directory that the state directory is in.
  var parentPath: String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.popLast() != nil else { return "/" }
    let parent = parts.joined(separator: "/")
    if path.hasPrefix("/") { return "/" + parent }
    return parent.isEmpty ? "." : parent
  }

  /// The path of a file in `log/`.
  func path(of name: String) -> String { logPath + "/" + name }

  /// The path of the segment that begins at a position.
  func path(ofSegment firstPosition: Position) -> String { path(of: SegmentName.of(firstPosition)) }

  /// The path of the snapshots beside the segment that begins at a position.
  func path(ofSnapshots firstPosition: Position) -> String { path(of: SegmentName.snapshots(firstPosition)) }

  /// The first positions of the segments that are there, in order.
  func segments() throws(FileError) -> [Position] {
    try fileSystem.list(logPath).compactMap(SegmentName.firstPosition).sorted()
  }

  /// The positions that a sealed segment has to hold: those up to the next one. Where that is missing nothing tells how
  /// far it reaches, and the end is as far away as can be.
  func positions(ofSealed firstPosition: Position) throws(FileError) -> Range<Position> {
    firstPosition..<(try segments().first { $0 > firstPosition } ?? .max)
  }

  /// The files that keep what was taken out of segments.
  func setAside() throws(FileError) -> [SetAsideFile] {
    var found: [SetAsideFile] = []
    for name in try fileSystem.list(logPath) {
      guard let position = SegmentName.keptPosition(name) else { continue }
      let bytes = try fileSystem.openForReading(path(of: name)).size()
      found.append(SetAsideFile(name: name, position: position, bytes: bytes))
    }
    return found.sorted { $0.name < $1.name }
  }

  /// Removes a file, which may be gone already.
  func removeIfThere(_ path: String) throws(FileError) {
    do throws(FileError) {
      try fileSystem.remove(path)
    } catch {
      if error.code != .noSuchFile { throw error }
    }
  }

  /// Removes the snapshots beside all segments but one.
  func removeSnapshots(except firstPosition: Position?) throws(FileError) {
    let kept = firstPosition.map(SegmentName.snapshots)
    for name in try fileSystem.list(logPath).sorted() where SegmentName.areSnapshots(name) && name != kept {
      try removeIfThere(path(of: name))
    }
  }

  /// Removes what interrupted work left that was never completed.
  ///
  /// - Returns: the paths of what was removed.
  func removeUnfinished() throws(FileError) -> [String] {
    var removed: [String] = []
    for name in try fileSystem.list(logPath).sorted() where name.hasSuffix(SegmentName.temporarySuffix) {
      try fileSystem.remove(path(of: name))
      removed.append(path(of: name))
    }
    return removed
  }

  /// Makes a file that is complete from the moment when it has its name: written under a temporary one, synced, renamed.
  ///
  /// - Parameter fill: writes the content and returns where it ends.
  /// - Returns: the file and where its content ends.
  func createWhole(
    _ name: String, _ fill: (any File) throws(FileError) -> Int64
  ) throws(FileError) -> (file: any File, end: Int64) {
    let end = try writeWhole(name, fill)
    return (try openWhole(name), end)
  }

  /// The first part of ``createWhole(_:_:)``: the file has its name, which is not synced yet.
  ///
  /// - Returns: where its content ends. After an error the file does not have its name.
  func writeWhole(_ name: String, _ fill: (any File) throws(FileError) -> Int64) throws(FileError) -> Int64 {
    let temporary = path(of: name + SegmentName.temporarySuffix)
    do {
      let file = try fileSystem.create(temporary)
      let end = try fill(file)
      try file.sync()
      try fileSystem.rename(temporary, to: path(of: name))
      return end
    } catch {
      // Only a full disk leaves the log usable, and then the file must not be in the way the next time.
      if error.isNoSpace { try removeIfThere(temporary) }
      throw error
    }
  }

  /// The second part of ``createWhole(_:_:)``. Whether the name survives a power loss is unknown after an error.
  func openWhole(_ name: String) throws(FileError) -> any File {
    try fileSystem.syncDirectory(logPath)
    return try fileSystem.openForWriting(path(of: name))
  }

  /// Puts a complete file in the place of another by one renaming. After an error the old one stands there, unless it was
  /// the directory that could not be synced.
  ///
  /// - Parameter fill: writes the content and returns where it ends.
  /// - Returns: what `fill` did.
  func replaceWhole(_ name: String, _ fill: (any File) throws -> Int64) throws -> Int64 {
    let temporary = path(of: name + SegmentName.temporarySuffix)
    // An interrupted try may have left its file.
    try removeIfThere(temporary)
    let end: Int64
    do {
      let file = try fileSystem.create(temporary)
      end = try fill(file)
      try file.sync()
      try fileSystem.rename(temporary, to: path(of: name))
    } catch {
      // Where even that cannot be done, the next try or the next start removes it.
      _ = try? removeIfThere(temporary)
      throw error
    }
    try fileSystem.syncDirectory(logPath)
    return end
  }
}
