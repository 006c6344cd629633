import ScrollModel

/// The paths of the log's files: the state directory with `lock` and `log/` in it.
struct LogDirectory: Sendable {
  static let logName = "log"

  let path: String
  let fileSystem: any FileSystem
  /// The name of the directory with the segments.
  var logName = Self.logName

  var lockPath: String { path + "/lock" }
  var logPath: String { path + "/" + logName }

  /// The parent of the state directory.
  var parentPath: String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.popLast() != nil else { return "/" }
    let parent = parts.joined(separator: "/")
    if path.hasPrefix("/") { return "/" + parent }
    return parent.isEmpty ? "." : parent
  }

  /// Returns the path of a file in `log/`.
  func path(of name: String) -> String { logPath + "/" + name }

  /// Returns the path of the segment that begins at a position.
  func path(ofSegment firstPosition: Position) -> String { path(of: SegmentName.of(firstPosition)) }

  /// Returns the path of the snapshots beside the segment that begins at a position.
  func path(ofSnapshots firstPosition: Position) -> String { path(of: SegmentName.snapshots(firstPosition)) }

  /// Lists the first positions of all segments, in order.
  func segments() throws(FileError) -> [Position] {
    try fileSystem.list(logPath).compactMap(SegmentName.firstPosition).sorted()
  }

  /// Returns the positions that a sealed segment has to hold, up to the next segment. When that is missing, the end is
  /// unknown, and the range extends to the greatest position.
  func positions(ofSealed firstPosition: Position) throws(FileError) -> Range<Position> {
    firstPosition..<(try segments().first { $0 > firstPosition } ?? .max)
  }

  /// Lists the files that keep bytes cut from segments.
  func setAside() throws(FileError) -> [SetAsideFile] {
    var found: [SetAsideFile] = []
    for name in try fileSystem.list(logPath) {
      guard let position = SegmentName.keptPosition(name) else { continue }
      let bytes: Int64
      do throws(FileError) {
        bytes = try fileSystem.openForReading(path(of: name)).size()
      } catch {
        // Somebody else's link or directory. No recovery has made it, and it takes no part in anything.
        if error.kind != nil { continue }
        throw error
      }
      found.append(SetAsideFile(name: name, position: position, bytes: bytes))
    }
    return found.sorted { $0.name < $1.name }
  }

  /// Removes a file if it exists.
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

  /// Removes the incomplete files of interrupted operations.
  ///
  /// - Returns: their paths.
  func removeUnfinished() throws(FileError) -> [String] {
    var removed: [String] = []
    for name in try fileSystem.list(logPath).sorted() where name.hasSuffix(SegmentName.temporarySuffix) {
      do throws(FileError) {
        try fileSystem.remove(path(of: name))
      } catch {
        // Somebody else's directory. If the name is needed, creating the file fails and names it.
        if error.code == .isDirectory { continue }
        throw error
      }
      removed.append(path(of: name))
    }
    return removed
  }

  /// Creates a file that is complete from the moment it has its name: it is written under a temporary name, synced, and
  /// renamed.
  ///
  /// - Parameter fill: writes the content and returns where it ends.
  /// - Returns: the file and where its content ends.
  func createWhole(
    _ name: String, _ fill: (any File) throws(FileError) -> Int64
  ) throws(FileError) -> (file: any File, end: Int64) {
    let end = try writeWhole(name, fill)
    return (try openWhole(name), end)
  }

  /// Does the first part of ``createWhole(_:_:)``: afterwards the file has its name, but the name is not synced.
  ///
  /// - Returns: where the content ends. After an error the file does not have its name.
  func writeWhole(_ name: String, _ fill: (any File) throws(FileError) -> Int64) throws(FileError) -> Int64 {
    let temporary = path(of: name + SegmentName.temporarySuffix)
    do {
      let file = try fileSystem.create(temporary)
      let end = try fill(file)
      try file.sync()
      try fileSystem.rename(temporary, to: path(of: name))
      return end
    } catch {
      // Only a full disk leaves the log usable, and the next attempt must not find the file in its way.
      if error.isNoSpace { try removeIfThere(temporary) }
      throw error
    }
  }

  /// Does the second part of ``createWhole(_:_:)``. After an error, the name may or may not survive a power loss.
  func openWhole(_ name: String) throws(FileError) -> any File {
    try fileSystem.syncDirectory(logPath)
    return try fileSystem.openForWriting(path(of: name))
  }

  /// Replaces a file with a complete one, in a single rename. After an error the old file is still in place, unless only
  /// the sync of the directory failed.
  ///
  /// - Parameter fill: writes the content and returns where it ends.
  /// - Returns: where the content ends.
  func replaceWhole(_ name: String, _ fill: (any File) throws -> Int64) throws -> Int64 {
    let temporary = path(of: name + SegmentName.temporarySuffix)
    // An interrupted attempt may have left its file.
    try removeIfThere(temporary)
    let end: Int64
    do {
      let file = try fileSystem.create(temporary)
      end = try fill(file)
      try file.sync()
      try fileSystem.rename(temporary, to: path(of: name))
    } catch {
      // If even that fails, the next attempt or the next start removes it.
      _ = try? removeIfThere(temporary)
      throw error
    }
    try fileSystem.syncDirectory(logPath)
    return end
  }
}
