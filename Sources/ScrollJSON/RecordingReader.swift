// Reads recordings: newline-delimited JSON, one object a line.

import JSON
import ScrollModel

/// Reads recordings: newline-delimited JSON, one object a line; first `open`, then events, last `close`.
///
/// Several recordings may follow each other. A recording may lack its `close`, as one that was cut short does; one without
/// its `open` is for the caller to judge. Empty lines are passed over.
public struct RecordingReader {
  /// U+FEFF in UTF-8, which some editors put before a text; JSON knows none.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let parser = JSONParser()
  private var lineNumber = 0
  private var isClosed = false

  /// A reader at the first line.
  public init() {}

  /// The number of the line that was read last, 1 for the first.
  public var line: Int { lineNumber }

  /// Reads the next line, without its newline.
  ///
  /// - Returns: What the line says; `nil` for an empty one.
  /// - Throws: ``RecordingError``.
  public mutating func read(_ text: UnsafeRawBufferPointer) throws(RecordingError) -> RecordingLine? {
    lineNumber += 1
    if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    if text.starts(with: Self.byteOrderMark) {
      throw RecordingError(line: lineNumber, reason: "begins with a byte order mark: save it without")
    }
    let line: RecordingLine
    do {
      line = try parser.parse(text) { try RecordingLine(json: $0) }
    } catch let problem as EventProblem {
      throw RecordingError(line: lineNumber, field: problem.field, reason: problem.reason)
    } catch let error as JSONError {
      throw RecordingError(line: lineNumber, field: error.member, reason: "is no JSON: \(error)")
    } catch {
      throw RecordingError(line: lineNumber, reason: "\(error)")
    }
    switch line {
    case .open: isClosed = false
    case .close: isClosed = true
    case .event, .request, .response:
      if isClosed {
        throw RecordingError(line: lineNumber, reason: "stands behind the close: only another open may follow it")
      }
    }
    return line
  }

  /// Reads a whole text, line by line.
  ///
  /// - Throws: ``RecordingError`` of the first bad line.
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
