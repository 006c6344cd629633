// Reads recordings: newline-delimited JSON, one object a line.

import ScrollModel
import Varlink

/// Reads recordings: newline-delimited JSON, one object a line; first `open`, then events, last `close`.
///
/// Several recordings may follow each other. A recording may lack its `close`, as one that was cut short does; one without
/// its `open` is for the caller to judge. Empty lines are passed over.
public struct RecordingReader {
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
    let line: RecordingLine
    do {
      line = try parser.parse(text) { try Self.line($0) }
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

  private static func line(_ value: JSONValue) throws -> RecordingLine {
    guard let kind = value["kind"]?.asText else { return .event(try Event(json: value)) }
    switch kind {
    case "open":
      var members = try MemberReader(value, of: "open")
      let client = try members.string("client")
      try ClientName.validate(client)
      let line = RecordingLine.open(
        time: try members.time(), client: client, application: try members.optionalString("application"),
        title: try members.optionalString("title"))
      // The policy that was in force then; which one a replay uses is for the replay to say.
      _ = try members.optionalString("policy")
      try members.finish()
      return line
    case "close":
      var members = try MemberReader(value, of: "close")
      let line = RecordingLine.close(time: try members.time())
      _ = try members.optionalString("reason")
      try members.finish()
      return line
    case "request":
      var members = try MemberReader(value, of: "request")
      let time = try members.time()
      let target = try members.target()
      try members.finish()
      return .request(ScrollRequest(time: time, target: target))
    case "response":
      var members = try MemberReader(value, of: "response")
      let response = ScrollResponse(
        time: try members.time(), request: try members.integer("request"), done: try members.flag("done"),
        reason: try members.optionalString("reason"))
      try members.finish()
      return .response(response)
    default:
      return .event(try Event(json: value))
    }
  }
}
