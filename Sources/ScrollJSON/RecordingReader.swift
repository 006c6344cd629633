import JSON
import ScrollModel

/// A reader for recordings: newline-delimited JSON with one object per line, which are an `open`, events, and a `close`.
///
/// Several recordings may follow one another. A recording that was cut short has no `close`. The caller decides whether to
/// accept one without an `open`. The reader skips empty lines.
public struct RecordingReader {
  /// U+FEFF in UTF-8, which some editors put before a text. JSON does not allow it.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let parser = JSONParser()
  private var lineNumber = 0
  private var isClosed = false

  /// Creates a reader at the first line.
  public init() {}

  /// The number of the last line read, 1 for the first.
  public var line: Int { lineNumber }

  /// Reads the next line, without its newline.
  ///
  /// - Returns: The line's content; `nil` for an empty line.
  /// - Throws: ``RecordingError``.
  public mutating func read(_ text: UnsafeRawBufferPointer) throws(RecordingError) -> RecordingLine? {
    lineNumber += 1
    if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    if text.starts(with: Self.byteOrderMark) {
      throw RecordingError(line: lineNumber, reason: "begins with a byte order mark: save it without one")
    }
    let line: RecordingLine
    do {
      line = try Self.plainEvent(text) ?? parser.parse(text) { try RecordingLine(json: $0) }
    } catch let problem as EventProblem {
      throw RecordingError(line: lineNumber, field: problem.field, reason: problem.reason)
    } catch let error as JSONError {
      throw RecordingError(line: lineNumber, field: error.member, reason: "is not JSON: \(error)")
    } catch {
      throw RecordingError(line: lineNumber, reason: "\(error)")
    }
    if case .open = line {
      isClosed = false
    } else if isClosed {
      throw RecordingError(line: lineNumber, reason: "follows the close: only another open may follow it")
    }
    if case .close = line { isClosed = true }
    return line
  }

  /// Reads an event as most programs write it; `nil` for any other line.
  private static func plainEvent(_ text: UnsafeRawBufferPointer) -> RecordingLine? {
    guard var scanner = PlainScanner(text), let event = Event(plain: &scanner), scanner.isAtEnd else { return nil }
    return .event(event)
  }

  /// Counts a line that is not read.
  public mutating func skip() { lineNumber += 1 }

  /// Reads a whole text.
  ///
  /// - Throws: ``RecordingError`` for the first bad line.
  public static func read(_ text: [UInt8]) throws(RecordingError) -> [(line: Int, RecordingLine)] {
    var reader = RecordingReader()
    var lines: [(line: Int, RecordingLine)] = []
    var rest = text[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      let line = text.withUnsafeBytes { bytes in
        Result { () throws(RecordingError) in
          try reader.read(UnsafeRawBufferPointer(rebasing: bytes[rest.startIndex..<end]))
        }
      }
      if let line = try line.get() { lines.append((reader.line, line)) }
      rest = end == rest.endIndex ? [] : rest[(end + 1)...]
    }
    return lines
  }
}
