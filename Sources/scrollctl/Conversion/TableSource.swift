import JSON
import ScrollModel

/// Reads the rows of delimited text.
struct TableSource {
  let file: String
  let choices: [ColumnChoice]

  /// Converts a text.
  ///
  /// - Returns: The columns that were recognized by headings that are not the fields' names, the headings of those that have
  ///   no field, and a note about decimal commas if there were any, for messages.
  /// - Throws: ``Failure`` when the columns are not known, or a column does not exist.
  func convert(
    _ bytes: [UInt8], _ format: SourceFormat, into conversion: Conversion
  ) throws -> (recognized: [String], ignored: [String], commas: String?) {
    let separator = format == .tsv ? 0x09 : DelimitedText.separator(ofCSV: bytes)
    var text = DelimitedText(bytes, separator: separator)
    let rows = RowConverter(conversion: conversion)
    var commas = Commas(separator: separator)
    if commas.mayOccur(in: bytes) { try findDecimalCommas(text, &commas) }
    var layout: Layout?
    while true {
      let record: DelimitedText.Record
      do throws(DelimitedText.Problem) {
        guard let next = try text.next() else { break }
        record = next
        conversion.progress?.updateNowAndThen(Int64(text.offset))
      } catch {
        conversion.refuse(line: error.line, error.reason)
        continue
      }
      if let layout {
        add(record, layout, rows, &commas, conversion)
      } else {
        let first = try self.layout(record)
        layout = first
        if !first.isHeading { add(record, first, rows, &commas, conversion) }
      }
    }
    guard let layout else {
      if conversion.badLines.isEmpty { throw Failure("\(file) is empty") }
      return ([], [], nil)
    }
    return (layout.recognized, layout.ignored, commas.note)
  }

  /// Looks whether a text has a decimal comma anywhere: then its points are not before decimals, also in the lines before.
  private func findDecimalCommas(_ text: DelimitedText, _ commas: inout Commas) throws {
    var text = text
    var layout: Layout?
    while !commas.wereRead {
      do throws(DelimitedText.Problem) {
        guard let record = try text.next() else { return }
        guard let known = layout else {
          layout = try? self.layout(record)
          if layout == nil { return }
          continue
        }
        for (index, role) in known.columns where index < record.fields.count {
          _ = commas.cell(record.fields[index], as: role)
        }
      } catch {
        // The line is refused when it is converted.
        continue
      }
    }
  }

  private func add(
    _ record: DelimitedText.Record, _ layout: Layout, _ rows: RowConverter, _ commas: inout Commas,
    _ conversion: Conversion
  ) {
    let needed = (layout.columns.keys.max() ?? 0) + 1
    let fields = record.fields.count == 1 ? "1 field" : "\(record.fields.count) fields"
    guard record.fields.count >= needed else {
      conversion.refuse(line: record.line, "the line has \(fields): it must have at least \(needed)")
      return
    }
    // A comma in a number, where columns end with commas, moves the fields after it into other columns.
    guard record.fields.dropFirst(layout.width).allSatisfy(\.isEmpty) else {
      conversion.refuse(
        line: record.line,
        "the line has \(fields), and the first line \(layout.width): put a field that has a separator in quotes, and a point "
          + "before decimals")
      return
    }
    var row: RowConverter.Row = [:]
    for (index, role) in layout.columns where !record.fields[index].isEmpty {
      row[role] = commas.cell(record.fields[index], as: role)
    }
    rows.add(row, line: record.line)
  }

  /// The decimal commas of a text whose fields are not separated by commas.
  private struct Commas {
    private let areRead: Bool
    /// Between tabs, `1,234` may be a number of an English spreadsheet.
    private let mayGroup: Bool
    private(set) var wereRead = false
    /// A number whose comma could separate thousands; `nil` once there is one whose comma could not.
    private var doubtful: String?
    private var isCertain = false

    /// What to tell the user about the commas; `nil` if there were none in numbers.
    var note: String? {
      guard wereRead else { return nil }
      let text = "takes the comma in numbers for the decimal point"
      guard let doubtful, let number = DecimalComma.number(doubtful, mayGroup: false) else { return text }
      return
        "\(text): “\(doubtful)” is \(shortest(number)); all others have three digits after it, too. If the comma "
        + "separates thousands, remove the commas first"
    }

    init(separator: UInt8) {
      areRead = separator != UInt8(ascii: ",")
      mayGroup = separator == 0x09
    }

    /// Whether a text may have decimal commas.
    func mayOccur(in bytes: [UInt8]) -> Bool { areRead && bytes.contains(UInt8(ascii: ",")) }

    mutating func cell(_ text: String, as role: ColumnRole) -> Cell {
      guard areRead, role.isNumeric else { return .text(text) }
      guard let number = DecimalComma.number(text, mayGroup: mayGroup) else {
        return wereRead && text.contains(".") && Double(text.filter { $0 != " " }) != nil ? .pointed(text) : .text(text)
      }
      wereRead = true
      if DecimalComma.number(text, mayGroup: true) != nil {
        (doubtful, isCertain) = (nil, true)
      } else if !isCertain, doubtful == nil {
        doubtful = text
      }
      return .number(number)
    }
  }

  /// The roles of the columns, from the first record and the command line.
  private struct Layout {
    var columns: [Int: ColumnRole] = [:]
    var recognized: [String] = []
    /// The headings of the columns that have no role.
    var ignored: [String] = []
    var isHeading: Bool
    /// How many fields the first line has.
    var width: Int
  }

  private func layout(_ first: DelimitedText.Record) throws(Failure) -> Layout {
    // Values have digits in at least one of the columns; headings are words.
    var layout = Layout(
      isHeading: !first.fields.contains { Double($0) != nil || DecimalComma.number($0, mayGroup: false) != nil },
      width: first.fields.count)
    for choice in choices {
      if let number = Int(choice.column), !first.fields.contains(choice.column) {
        guard (1...first.fields.count).contains(number) else {
          throw Failure(
            "\(file): --columns \(choice.role.name)=\(number): the first line has \(first.fields.count) columns")
        }
        layout.columns[number - 1] = choice.role
      } else if let index = first.fields.firstIndex(of: choice.column) {
        layout.columns[index] = choice.role
        layout.isHeading = true
      } else {
        throw Failure(
          "\(file): no column is called “\(choice.column)”; the first line has " + Self.list(first.fields),
          hint: "Columns can also have numbers: --columns time=1,y=2")
      }
    }
    if layout.isHeading {
      for (index, heading) in first.fields.enumerated() where layout.columns[index] == nil {
        guard let role = ColumnRole.recognizing(heading), !layout.columns.values.contains(role) else {
          if !heading.isEmpty { layout.ignored.append(heading) }
          continue
        }
        layout.columns[index] = role
        if role.name != heading { layout.recognized.append("\(role.name) from “\(heading)”") }
      }
    }
    for role in [ColumnRole.time, .field(.y)] where !layout.columns.values.contains(role) {
      throw Failure(
        "\(file): no column for \(role.name); the first line has \(Self.list(first.fields))",
        hint: "Choose columns by their headings or numbers, as in --columns time=1,y=2")
    }
    return layout
  }

  /// Returns fields in quotes.
  static func list(_ fields: [String]) -> String {
    let shown = fields.prefix(12).map { "“\($0)”" }.joined(separator: ", ")
    return fields.count > 12 ? shown + " and \(fields.count - 12) more" : shown
  }
}

/// Reads the rows of JSON lines.
struct JSONLinesSource {
  let file: String
  let choices: [ColumnChoice]

  /// Converts a text.
  ///
  /// - Returns: The members that were recognized by names that are not the fields' names, and the names of those that were left
  ///   out, for messages.
  func convert(_ bytes: [UInt8], into conversion: Conversion) -> (recognized: [String], ignored: [String]) {
    let parser = JSONParser()
    let rows = RowConverter(conversion: conversion)
    var names = Names()
    var line = 0
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    while !rest.isEmpty {
      line += 1
      conversion.progress?.updateNowAndThen(Int64(rest.startIndex))
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      let text = rest[..<end]
      rest = end == rest.endIndex ? [] : rest[(end + 1)...]
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do {
        try text.withUnsafeBytes { bytes in
          try parser.parse(bytes) { value in
            guard let object = value.asObject else {
              conversion.refuse(line: line, "the line must be a JSON object")
              return
            }
            rows.add(row(object, &names), line: line)
          }
        }
      } catch {
        conversion.refuse(line: line, "the line is not JSON: \(error)")
      }
    }
    return (
      names.recognized,
      names.ignored.filter { name in !choices.contains { $0.column.split(separator: ".").first == name[...] } }
    )
  }

  /// The names of the members.
  private struct Names {
    var recognized: [String] = []
    var ignored: [String] = []
  }

  private func row(_ object: JSONObject, _ names: inout Names) -> RowConverter.Row {
    var row: RowConverter.Row = [:]
    for choice in choices {
      if let cell = Self.cell(object, choice.column.split(separator: ".")[...]) { row[choice.role] = cell }
    }
    for member in object {
      let name = member.name.string
      guard let role = ColumnRole.recognizing(name), row[role] == nil, !choices.contains(where: { $0.role == role })
      else {
        if !names.ignored.contains(name) { names.ignored.append(name) }
        continue
      }
      guard let cell = Self.cell(member.value) else { continue }
      row[role] = cell
      let text = "\(role.name) from “\(name)”"
      if role.name != name, !names.recognized.contains(text) { names.recognized.append(text) }
    }
    return row
  }

  /// Returns the value at a path such as `data.y`.
  private static func cell(_ object: JSONObject, _ path: ArraySlice<Substring>) -> Cell? {
    guard let name = path.first, let member = object.first(where: { $0.name.equals(String(name)) }) else { return nil }
    if path.count == 1 { return cell(member.value) }
    return member.value.asObject.flatMap { cell($0, path.dropFirst()) }
  }

  private static func cell(_ value: JSONValue) -> Cell? {
    if let number = value.asDouble { return .number(number) }
    if let flag = value.asBool { return .text(flag ? "true" : "false") }
    guard let text = value.asString, !text.isEmpty else { return nil }
    return .text(text)
  }
}
