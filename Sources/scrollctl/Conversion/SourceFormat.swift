/// A format of scroll data that other programs write, and that `convert` reads.
enum SourceFormat: String, CaseIterable {
  /// Comma-separated values (RFC 4180), or with semicolons, as spreadsheets write them in many countries.
  case csv
  /// Tab-separated values.
  case tsv
  /// A recording of rrweb: an array of its events, or one event per line.
  case rrweb
  /// One JSON object per line.
  case jsonLines = "json-lines"

  /// How much of a file ``init(sniffing:)`` looks at, in bytes.
  static let sniffedBytes = 4096

  /// Recognizes a format by the beginning of a file; `nil` when it looks like none of them.
  init?(sniffing head: some Collection<UInt8>) {
    let text = String(decoding: head.prefix(Self.sniffedBytes), as: UTF8.self)
    let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    switch start.first {
    case "[", "{":
      if ["\"type\"", "\"timestamp\"", "\"data\""].allSatisfy({ start.contains($0) }) {
        self = .rrweb
      } else if start.first == "{" {
        self = .jsonLines
      } else {
        return nil
      }
    default:
      guard let format = Self.delimited(start) else { return nil }
      self = format
    }
  }

  /// Recognizes lines with the same number of separators.
  private static func delimited(_ text: Substring) -> SourceFormat? {
    // `isNewline` holds for CRLF, which is one character. The last line may be cut.
    let lines = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline).prefix(3)
    guard let first = lines.first, first.allSatisfy({ $0.isASCII || $0.isLetter || $0.isNumber }) else { return nil }
    // Quotes may hide separators and line breaks.
    let others = text.contains("\"") ? [] : lines.dropLast(lines.count > 1 ? 1 : 0)
    for (separator, format) in [("\t", .tsv), (",", .csv), (";", .csv)] as [(Character, SourceFormat)] {
      let count = first.count { $0 == separator }
      if count > 0, others.allSatisfy({ line in line.count { $0 == separator } == count }) { return format }
    }
    return nil
  }

  /// The format's name in sentences.
  var title: String {
    switch self {
    case .csv: "CSV"
    case .tsv: "tab-separated values"
    case .rrweb: "a recording of rrweb"
    case .jsonLines: "JSON lines"
    }
  }

  /// The hint for what “export --flat” has printed.
  static let flatHint =
    "This looks like an “export --flat”, which is a table for other programs. Export the sessions without --flat."

  /// How a database of SQLite begins.
  private static let sqliteHead = Array("SQLite format 3\0".utf8)

  /// The hint for a file that is no recording: what a recording looks like, and how to make one of the file.
  static func hint(forHead head: some Collection<UInt8>, file: String) -> String {
    let description =
      "A recording has one JSON object per line: an “open”, then events with a “kind” and a “time”, then a “close”.\n"
      + "scroll-recording(5) describes it."
    if head.starts(with: sqliteHead) {
      return "This is a database of SQLite. If it is from “export --sqlite”, export the sessions without --sqlite."
    }
    guard let format = SourceFormat(sniffing: head) else { return description }
    let argument = file == "standard input" ? "-" : file
    return description
      + "\nThis looks like \(format.title). To convert it:  \(Program.name) convert --from \(format.rawValue) \(argument) > "
      + "recording.ndjson"
  }
}
