import Platform
import ScrollClient
import ScrollModel
import ScrollService

/// The progress of reading recordings and the log, shown on a terminal when it takes longer than a second: first in bytes of the
/// files, then in records of the log.
final class ReadProgress {
  /// How many records pass between two looks at the clock.
  private static let records: Int64 = 4096

  private let bar: ProgressBar
  private var bytes: Int64 = 0
  private var total: Int64 = 0
  private var first: Position?

  /// Returns the last position of the log. It is looked up when the bar appears.
  var end: (() throws -> Position)?

  /// - Parameter files: The paths of all files that will be read.
  convenience init(_ title: String = "read", files: [String] = []) {
    self.init(ProgressBar(title, of: Self.size(of: files), "bytes"))
  }

  init(_ bar: ProgressBar) { self.bar = bar }

  /// Counts bytes of a file.
  func count(bytes: Int) {
    self.bytes += Int64(bytes)
    bar.update(self.bytes)
  }

  /// Counts a record of the log.
  func countRecord(at position: Position) {
    total += 1
    guard let first else {
      first = position
      return bar.restart("records")
    }
    guard total % Self.records == 0 else { return }
    bar.update(position - first)
    guard bar.isShown, let end else { return }
    self.end = nil
    // Without the end, the bar has only the number of records.
    if let end = try? end() { bar.total = end - first }
  }

  /// Removes the bar if standard output is a terminal, too.
  func clearForOutput() { bar.clearForOutput() }

  /// Removes the bar, for output to the same terminal.
  func clear() { bar.clear() }

  /// The size of all files together; `nil` if there are none, or when one is no regular file.
  static func size(of files: [String]) -> Int64? {
    var size: Int64 = 0
    for file in files {
      guard file != "-", let status = try? FileStatus(file), status.kind == .regular else { return nil }
      size += status.size
    }
    return files.isEmpty ? nil : size
  }
}
