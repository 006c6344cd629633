import ScrollModel

/// The verification of a whole log. It neither changes nor locks the log, and may run beside a daemon.
public enum LogVerification {
  /// Reads every block of every segment, and checks checksums, entries and positions.
  ///
  /// After bad bytes it continues with the next good block.
  ///
  /// - Parameters:
  ///   - path: the state directory.
  ///   - progress: called before each segment with the number of segments that are checked, and of all.
  /// - Returns: the result for each segment, in order; empty if there is no log.
  /// - Throws: ``FileError``.
  public static func verify(
    directory path: String, fileSystem: any FileSystem, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(FileError) -> [SegmentVerification] {
    let directory = LogDirectory(path: path, fileSystem: fileSystem)
    let positions = try directory.segments()
    var found: [SegmentVerification] = []
    for (index, first) in positions.enumerated() {
      progress(index, positions.count)
      let next = index + 1 < positions.count ? positions[index + 1] : nil
      var check = SegmentCheck(directory, firstPosition: first, nextSegment: next)
      do throws(FileError) {
        try check.run()
      } catch {
        // A running daemon may have removed its oldest segments in the meantime.
        guard error.code == .noSuchFile, try !directory.segments().contains(first) else { throw error }
        continue
      }
      found.append(check.found)
    }
    return found
  }
}
