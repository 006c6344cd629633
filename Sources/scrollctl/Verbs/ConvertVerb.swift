import Platform
import ScrollClient
import ScrollJSON
import ScrollModel

extension Verb {
  private static let from = Option(
    name: "from", value: "csv|tsv|rrweb|json-lines", summary: "The file's format [what it looks like]")
  private static let columns = Option(
    name: "columns", value: "FIELD=COLUMN,…",
    summary: "The columns of the fields, by heading or by number from 1; for json-lines by name, such as y=data.top")
  private static let timeUnit = Option(
    name: "time-unit", value: "s|ms|us|ns", summary: "The unit of times that are numbers [ms]")
  private static let start = Option(
    name: "start", value: "TIME",
    summary: "Times are numbers that count from this moment, in UTC if it has no zone [1970]")
  private static let contentHeight = Option(
    name: "content-height", value: "H", summary: "The content's height in points, unless the file has it")
  private static let contentWidth = Option(
    name: "content-width", value: "W", summary: "The content's width in points, unless the file has it")
  private static let frameHeight = Option(
    name: "frame-height", value: "H", summary: "The viewport's height in points, unless the file has it")
  private static let frameWidth = Option(
    name: "frame-width", value: "W", summary: "The viewport's width in points, unless the file has it")
  private static let node = Option(
    name: "id", value: "N", summary: "For rrweb: the node that scrolls, such as a pane [the document]")
  private static let pause = Option(
    name: "pause", value: "SPAN", summary: "Scrolling ends when nothing moves for so long; 0 for never [200ms]")
  private static let gap = Option(
    name: "gap", value: "SPAN", summary: "A pause of more than this ends a session, such as 30min [none does]")
  private static let client = Option(
    name: "client", value: "NAME", summary: "The client's name [the file's name without its ending]")
  private static let title = Option(name: "title", value: "TEXT", summary: "The title of what was scrolled")
  private static let skipBad = Option(
    name: "skip-bad", summary: "Leave out lines that cannot be read, instead of converting nothing")

  static let convert = Verb(
    name: "convert", group: .recordings,
    arguments: [Argument(name: "FILE…|-", repeats: true)],
    options: [
      from, columns, timeUnit, start, contentHeight, contentWidth, frameHeight, frameWidth, node, pause, gap, client,
      title, skipBad,
    ],
    summary: "Make a recording of a table of offsets, or of a recording of rrweb",
    details: [
      "The recording is printed; the other verbs read it. Of several FILEs, the recordings follow each other. Of a table, a time and a y for each line are enough. Without "
        + "--columns, scrollctl takes the columns whose headings are a field's name, such as time, y, contentHeight or "
        + "frameHeight, or a common name of one: timestamp, t, ts or datetime; scrollTop, scrollY, offsetY or pageYOffset; scrollHeight, "
        + "documentHeight or pageHeight; innerHeight, clientHeight, viewportHeight or windowHeight; the same for x, left and "
        + "width; participant, subject, user, visitor or reader for the client; article, url or pageTitle for the title. Case, "
        + "spaces, _ and - do not matter.",
      "Fields are those of events, and time, kind, client, application, title and session. With a kind, each line is that "
        + "event. Without, a line is a scroll if the offset changed, preceded by a layout if a size changed. Lines with "
        + "different values of client, session, application or title are different sessions. A line without a client belongs to "
        + "the one of --client.",
      "A time is a number, or a date and time as in ISO 8601, in UTC if it has no zone, whatever the zone of this machine. "
        + "Local times need their zone at the end, as in 2026-11-30T09:15:02+01:00; no option sets it. Of sizes that no "
        + "column has, those of the options hold from the beginning. Without the content's and the viewport's height no bottom is ever "
        + "reached, and “reading” has no reach. Columns that are left out are named.",
      "Of rrweb, scrollctl reads the offsets and the window's sizes. Each page is a session. rrweb takes a sample every "
        + "100 ms unless configured otherwise: reversals between two samples are lost, so a toolbar that really flickered "
        + "may look calm.",
      "Lines that cannot be read are listed, one for each reason; nothing is converted, and the exit status is 1. CSV is read as RFC 4180 "
        + "describes it; it may have a byte order mark, CRLF and semicolons. Where semicolons or tabs separate the fields, a "
        + "number may have a decimal comma, such as 12,5; between tabs, 1,234 could also be 1234, and is refused. A file with "
        + "decimal commas has no decimal points: 1.250 could be 1250, and is refused.",
    ],
    examples: [
      Example(
        arguments: "convert --from csv --content-height 9000 --frame-height 800 log.csv > log.ndjson",
        meaning: "Convert a table with the columns time and y."),
      Example(
        arguments: "convert --columns time=1,y=3 --time-unit s log.tsv > log.ndjson",
        meaning: "Choose columns by their numbers, with times in seconds."),
      Example(
        arguments: "convert --from rrweb --content-height 9000 session.json > session.ndjson",
        meaning: "Convert the scrolling of a page that rrweb recorded."),
    ]
  ) { invocation in
    let paths = invocation.command.arguments
    var status = ExitStatus.done
    for path in paths {
      do {
        if try convert(path, invocation) != .done { status = .failed }
      } catch let error where paths.count > 1 && !(error is UsageError) && !(error is OutputError) {
        // One bad file must not hide what the others have.
        try invocation.output.flush()
        Program.report(error)
        status = .failed
      }
    }
    return status
  }

  /// Prints the recording of a file.
  private static func convert(_ path: String, _ invocation: Invocation) throws -> ExitStatus {
    let command = invocation.command
    let choices = try command.text(columns).map { text throws(UsageError) in try ColumnChoice.list(text) } ?? []
    let settings = try settings(command, path)
    let wanted = try command.text(from).map { text throws(UsageError) in try format(text) }
    let id = try command.integer(node, in: 0...Int64(Int32.max)).map { Int($0) }
    let bytes = try TextFile.read(path)
    if bytes.allSatisfy({ $0 <= 0x20 }) { throw Failure("\(settings.file) is empty: it has nothing to convert") }
    if settings.time.unit == nil, isRecording(bytes) {
      throw Failure(
        "\(settings.file) is a recording already: there is nothing to convert",
        hint: "The other verbs read it as it is:  scrollctl timeline \(path)")
    }
    if let line = flatLine(bytes) {
      throw Failure("\(settings.file):\(line): client is not a field of an event", hint: SourceFormat.flatHint)
    }
    try checkText(bytes, path, settings.file)
    guard let format = wanted ?? SourceFormat(sniffing: bytes) else {
      throw Failure(
        "\(settings.file): cannot recognize the format", hint: "Choose one with --from csv, tsv, rrweb or json-lines.")
    }
    if id != nil, format != .rrweb {
      throw Failure("--id is for --from rrweb: \(settings.file) is read as \(format.rawValue)")
    }
    if !choices.isEmpty, format == .rrweb {
      throw Failure("--columns is not for rrweb: \(settings.file) has no columns")
    }
    let conversion = Conversion(settings)
    conversion.progress = ProgressBar("convert", of: Int64(bytes.count), "bytes")
    let notes = try read(bytes, format, choices, id, into: conversion)
    conversion.progress?.clear()
    let isUsable = try reportBadLines(conversion, command.has(skipBad))
    guard isUsable else { return .failed }
    if format != .rrweb, let doubt = conversion.timeDoubt {
      throw Failure("\(settings.file): \(doubt)", hint: "For seconds:  --time-unit s")
    }
    for note in notes { Program.warn("\(settings.file): \(note)") }
    for warning in conversion.warnings where format != .rrweb || !warning.hasPrefix("most samples") {
      Program.warn("\(settings.file): \(warning)")
    }
    var isEmpty = true
    for session in conversion.sessions {
      guard let lines = session.finish() else { continue }
      isEmpty = false
      try invocation.output.raw(lines)
    }
    if isEmpty { throw Failure("\(settings.file) has no data") }
    return .done
  }

  /// Refuses a text that is not UTF-8: names that differ would become the same.
  private static func checkText(_ bytes: [UInt8], _ path: String, _ file: String) throws(Failure) {
    let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    let bad = isWide ? nil : TextFile.firstLineOutsideUTF8(bytes)
    guard isWide || bad != nil else { return }
    let encoding = isWide ? "UTF-16" : "WINDOWS-1252"
    throw Failure(
      isWide ? "\(file) is UTF-16, not UTF-8" : "\(file):\(bad ?? 1): the line is not UTF-8",
      hint: "If it is \(encoding):  iconv -f \(encoding) -t UTF-8 \(path == "-" ? "FILE" : path) | scrollctl convert -")
  }

  /// Whether a file is a whole recording, from an open line on.
  private static func isRecording(_ bytes: [UInt8]) -> Bool {
    guard let lines = try? RecordingReader.read(bytes), case .open? = lines.first?.1 else { return false }
    return true
  }

  /// Returns the line that shows that a file is an “export --flat”: the one after an opening; `nil` if it is none.
  private static func flatLine(_ bytes: [UInt8]) -> Int? {
    do throws(RecordingError) {
      _ = try RecordingReader.read(bytes)
      return nil
    } catch {
      return error.isOfFlatExport && error.line > 1 ? error.line : nil
    }
  }

  /// Reads the file. Returns what to tell the user about it.
  private static func read(
    _ bytes: [UInt8], _ format: SourceFormat, _ choices: [ColumnChoice], _ node: Int?, into conversion: Conversion
  ) throws -> [String] {
    let file = conversion.settings.file
    var notes: [String] = []
    let recognized: [String]
    switch format {
    case .rrweb:
      var source = RRWebSource(conversion, node: node)
      return try source.convert(bytes)
    case .csv, .tsv:
      let columns = try TableSource(file: file, choices: choices).convert(bytes, format, into: conversion)
      recognized = columns.recognized
      if let note = columns.commas { notes.append(note) }
      if !columns.ignored.isEmpty { notes.append("leaves out " + TableSource.list(columns.ignored)) }
    case .jsonLines:
      let members = JSONLinesSource(file: file, choices: choices).convert(bytes, into: conversion)
      recognized = members.recognized
      if !members.ignored.isEmpty { notes.append("leaves out " + TableSource.list(members.ignored)) }
    }
    if !recognized.isEmpty { notes.insert("takes " + recognized.joined(separator: ", "), at: 0) }
    if let missing = conversion.missingHeights { notes.append(missing) }
    return notes
  }

  /// Lists the lines that cannot be read. Returns whether the others may be used.
  private static func reportBadLines(_ conversion: Conversion, _ mayBeSkipped: Bool) throws -> Bool {
    let bad = conversion.badLines
    if bad.isEmpty { return true }
    let file = conversion.settings.file
    let kinds = conversion.kindsOfBadLines
    for kind in kinds.prefix(10) {
      let more =
        kind.others == 0 ? "" : kind.others == 1 ? " (and 1 line like it)" : " (and \(kind.others) lines like it)"
      Program.warn("\(file):\(kind.first.line): \(kind.first.reason)\(more)")
    }
    let count = bad.count == 1 ? "1 line" : "\(bad.count) lines"
    let listed = kinds.count > 10 ? ", with 10 of the reasons above" : ""
    if mayBeSkipped {
      Program.warn("\(file): left out \(count) that cannot be read\(listed)")
      return true
    }
    Program.warn(
      "\(file): \(count) cannot be read\(listed); nothing was converted",
      hint: conversion.sessions.allSatisfy { $0.events == 0 } ? nil : "To leave out such lines, use --skip-bad.")
    return false
  }

  private static func format(_ text: String) throws(UsageError) -> SourceFormat {
    if let format = SourceFormat(rawValue: text) { return format }
    throw .badValue(option: from.name, text: text, expected: "csv, tsv, rrweb or json-lines")
  }

  private static func settings(_ command: ParsedCommand, _ path: String) throws(UsageError) -> Conversion.Settings {
    let file = path == "-" ? "standard input" : path
    var settings = Conversion.Settings(file: file, client: command.text(client) ?? clientName(path))
    do throws(EventProblem) {
      try ClientName.validate(settings.client)
    } catch {
      throw .badValue(option: client.name, text: settings.client, expected: "a client's name, but it \(error.reason)")
    }
    settings.title = command.text(title)
    if let text = command.text(timeUnit) {
      guard let unit = TimeScale.Unit(rawValue: text) else {
        throw .badValue(option: timeUnit.name, text: text, expected: "s, ms, us or ns")
      }
      settings.time.unit = unit
    }
    if let text = command.text(start) {
      // As the dates and times in a file.
      guard let time = TimeReader(now: UnixMicroseconds.now.rawValue, calendar: .utc).read(text) else {
        throw .badValue(option: start.name, text: text, expected: "a time such as “2026-11-30 09:15”")
      }
      settings.time.start = time
    }
    let sizes: [(Option, Event.Field)] = [
      (contentHeight, .contentHeight), (contentWidth, .contentWidth), (frameHeight, .frameHeight),
      (frameWidth, .frameWidth),
    ]
    for (option, field) in sizes { settings.sizes[field] = try command.positive(option) }
    settings.pause = 200_000
    if let text = command.text(pause) {
      guard let span = TimeSpan.microseconds(text) else {
        throw .badValue(option: pause.name, text: text, expected: "a time span such as 200ms")
      }
      settings.pause = span == 0 ? nil : span
    }
    if let text = command.text(gap) {
      guard let span = TimeSpan.microseconds(text), span > 0 else {
        throw .badValue(option: gap.name, text: text, expected: "a time span such as 30min")
      }
      settings.gap = span
    }
    return settings
  }

  /// Returns the name of a file without directory and ending.
  private static func clientName(_ path: String) -> String {
    guard path != "-", let name = path.split(separator: "/").last else { return "converted" }
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    return stem.isEmpty ? "converted" : String(stem)
  }
}
