// A recording, read line by line.

import Platform
import ScrollJSON
import ScrollLog
import ScrollModel
import ScrollService

/// A recording, or several behind each other, read line by line from a file or from standard input.
final class RecordingSource {
  private let lines: LineReader
  private var reader = RecordingReader()

  /// Opens a file, or takes standard input for `-`.
  ///
  /// - Parameter isInterruptible: As ``LineReader`` has it.
  init(_ path: String, name: String? = nil, isInterruptible: Bool = false) throws(SystemError) {
    lines = try LineReader(path, name: name, isInterruptible: isInterruptible)
  }

  /// The file's name in messages.
  var name: String { lines.name }

  /// The number of the line that was read last, 1 for the first.
  var line: Int { reader.line }

  /// A name for what the line that was read last holds.
  private(set) var lineDigest = SessionID(high: 0, low: 0)

  /// Whether the next line, or the end, can be had without waiting.
  var isReady: Bool { lines.isReady }

  /// Reads the next line that isn't empty; `nil` at the end.
  ///
  /// - Throws: ``Failure`` that names file, line, field and reason.
  func next() throws -> RecordingLine? {
    while true {
      let read = try lines.next { bytes -> RecordingLine? in
        lineDigest = ContentDigest.of(bytes)
        do throws(RecordingError) {
          return try reader.read(bytes)
        } catch {
          throw failure(error)
        }
      }
      switch read {
      case nil: return nil
      case .some(nil): continue
      case .some(let line?): return line
      }
    }
  }

  /// What is wrong with a line of this file, as a failure.
  func failure(_ error: RecordingError) -> Failure {
    Failure("\(name):\(error.line): " + (error.field.map { "\($0) \(error.reason)" } ?? error.reason))
  }
}
