import Platform
import ScrollJSON
import ScrollLog
import ScrollModel

/// Reads one or more consecutive recordings line by line from a file or from standard input.
final class RecordingSource {
  private let lines: LineReader
  private var reader = RecordingReader()
  /// Whether no line of a recording was read yet.
  private var isUnknown = true

  /// Opens a file, or standard input for `-`.
  ///
  /// The other parameters are those of ``LineReader``.
  init(
    _ path: String, name: String? = nil, isInterruptible: Bool = false, progress: ((Int) -> Void)? = nil
  ) throws(SystemError) {
    lines = try LineReader(path, name: name, isInterruptible: isInterruptible, progress: progress)
  }

  /// The name for messages.
  var name: String { lines.name }

  /// The number of the last line, counted from 1.
  var line: Int { reader.line }

  /// An id that is derived from the last line's content.
  private(set) var lineDigest = SessionID(high: 0, low: 0)

  /// Whether reading the next line, or the end, would not wait.
  var isReady: Bool { lines.isReady }

  /// Reads the next line that is not empty; `nil` at the end.
  ///
  /// - Throws: ``Failure`` with the file, line, field and reason.
  func next() throws -> RecordingLine? {
    while true {
      switch try nextLine() {
      case nil: return nil
      case .some(nil): continue
      case .some(let line?):
        isUnknown = false
        return line
      }
    }
  }

  /// Reads a line.
  ///
  /// - Returns: `nil` at the end; an inner `nil` for an empty line.
  private func nextLine() throws -> RecordingLine?? {
    do {
      return try lines.next { bytes -> RecordingLine? in
        lineDigest = ContentDigest.of(bytes)
        do throws(RecordingError) {
          return try reader.read(bytes)
        } catch {
          throw failure(error)
        }
      }
    } catch let error as SystemError where error.errno == .isDirectory {
      throw UnmatchedArguments.failure(name, takesFiles: true)
    }
  }

  /// Passes over the lines before one, which were read before.
  func skip(to line: Int) throws {
    while reader.line + 1 < line, try lines.next({ _ in reader.skip() }) != nil {}
  }

  /// Creates the failure about a line of this file. If it is the first one, the file may be something else.
  func failure(_ error: RecordingError) -> Failure {
    Failure(
      "\(name):\(error.line): " + (error.field.map { "\($0) \(error.reason)" } ?? error.reason),
      hint: error.isOfFlatExport
        ? SourceFormat.flatHint : isUnknown ? SourceFormat.hint(forHead: lines.head, file: name) : nil)
  }
}

extension RecordingError {
  /// Whether the line is one of an “export --flat”, which repeats its session's client.
  var isOfFlatExport: Bool { field == "client" && reason.hasPrefix("is not a field") }
}
