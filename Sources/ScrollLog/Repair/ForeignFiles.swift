/// Directories, links and the like in the log's directory, with names that the log gives to files of its own: incomplete files,
/// snapshots, and files that were set aside. No daemon has made them, and the log may need the names.
struct ForeignFiles {
  private static let suffixes = [
    SegmentName.temporarySuffix, SegmentName.tornSuffix, SegmentName.damagedSuffix, SegmentName.snapshotsSuffix,
    RepairCompletion.suffix,
  ]

  let directory: LogDirectory

  /// Renames them.
  ///
  /// - Parameter isDryRun: whether only to report what would be done.
  /// - Returns: each of them with its new name.
  func setAside(isDryRun: Bool) throws(FileError) -> [RepairReport.Stray] {
    let names = try directory.fileSystem.list(directory.logPath).sorted()
    var taken = Set(names)
    var found: [RepairReport.Stray] = []
    for name in names where Self.suffixes.contains(where: name.hasSuffix) {
      let path = directory.path(of: name)
      let kind: String
      do throws(FileError) {
        _ = try directory.fileSystem.openForReading(path)
        continue
      } catch {
        guard let noun = error.kind?.noun else { throw error }
        kind = noun
      }
      var number = 1
      while taken.contains("\(name).stray-\(number)") { number += 1 }
      let kept = "\(name).stray-\(number)"
      taken.insert(kept)
      if !isDryRun { try directory.fileSystem.rename(path, to: directory.path(of: kept)) }
      found.append(
        RepairReport.Stray(
          file: path, reason: "this is \(kind), and no part of the log", kept: directory.path(of: kept)))
    }
    if !found.isEmpty, !isDryRun { try directory.fileSystem.syncDirectory(directory.logPath) }
    return found
  }
}
