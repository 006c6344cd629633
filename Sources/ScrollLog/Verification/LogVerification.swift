import ScrollModel

/// Checks all of a log without changing or locking it, beside a running daemon, too.
public enum LogVerification {
  /// Reads every block of every segment: checksums, entries, positions from block to block and from segment to segment.
  ///
  /// Behind bad bytes the check goes on at the next good block.
  ///
  /// - Parameter path: the state directory.
  /// - Returns: what was found, segment by segment; empty when there is no log.
  /// - Throws: ``FileError``.
  public static func verify(
    directory path: String, fileSystem: any FileSystem
  ) throws(FileError) -> [SegmentVerification] {
    let directory = LogDirectory(path: path, fileSystem: fileSystem)
    let positions = try directory.segments()
    var found: [SegmentVerification] = []
    for (index, first) in positions.enumerated() {
      let next = index + 1 < positions.count ? positions[index + 1] : nil
      var check = SegmentCheck(directory, firstPosition: first, nextSegment: next)
      do throws(FileError) {
        try check.run()
      } catch {
        // A running daemon may have removed its oldest segments meanwhile.
        guard error.code == .noSuchFile, try !directory.segments().contains(first) else { throw error }
        continue
      }
      found.append(check.found)
    }
    return found
  }
}
