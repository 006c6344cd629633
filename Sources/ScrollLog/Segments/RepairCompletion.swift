import ScrollModel

/// The last step of a repair that divides a segment: the further parts get their names after the first one has replaced the
/// segment. A start does this step, too, so that an interrupted repair is either not begun or complete.
struct RepairCompletion {
  static let suffix = ".repaired"

  let directory: LogDirectory

  /// Returns the name of a part until the first one is in place.
  static func name(of firstPosition: Position) -> String { SegmentName.of(firstPosition) + suffix }

  /// Gives each part its name if the segment before it says that it follows. Removes the others, which belong to a repair that
  /// was interrupted before it changed anything.
  func run() throws(FileError) {
    let names = try directory.fileSystem.list(directory.logPath).filter { $0.hasSuffix(Self.suffix) }.sorted()
    if names.isEmpty { return }
    for name in names {
      let segment = String(name.dropLast(Self.suffix.count))
      // No repair has made a directory or a link. The next one sets it aside.
      guard try isFile(name) else { continue }
      if let first = SegmentName.firstPosition(segment), try isExpected(first) {
        try directory.fileSystem.rename(directory.path(of: name), to: directory.path(of: segment))
      } else {
        try directory.removeIfThere(directory.path(of: name))
      }
    }
    try directory.fileSystem.syncDirectory(directory.logPath)
  }

  private func isFile(_ name: String) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try directory.fileSystem.openForReading(directory.path(of: name))
      return true
    } catch {
      if error.kind == nil { throw error }
      return false
    }
  }

  /// Returns whether the segment before a position says that another one begins there, and none does.
  private func isExpected(_ firstPosition: Position) throws(FileError) -> Bool {
    let segments = try directory.segments()
    guard let previous = segments.last(where: { $0 <= firstPosition }), previous < firstPosition else { return false }
    let file = try directory.fileSystem.openForReading(directory.path(ofSegment: previous))
    do {
      let header = try SegmentReading.header(of: file, firstPosition: previous)
      return try SegmentSeal.find(in: file, header)?.nextSegment == firstPosition
    } catch let error as FileError {
      throw error
    } catch {
      return false
    }
  }
}
