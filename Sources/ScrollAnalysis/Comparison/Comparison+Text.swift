import ScrollModel

extension Comparison {
  /// How much the rows of a comparison say.
  public enum Detail: CaseIterable, Sendable {
    /// The toolbar, its trigger, and the clause that decided.
    case reasons
    /// The toolbar and its trigger.
    case triggers
    /// The toolbar, and its trigger as the sign that a timeline has for it; and not which fields differ.
    case signs
    /// The same, with short names of other fields that differ.
    case short

    /// Whether the rows have signs, and not which fields differ.
    public var isCompact: Bool { self == .signs || self == .short }
  }

  /// The comparison as lines for a terminal: a table of the rows, then one of the tallies, then each flicker.
  ///
  ///     event          time  safari                       classic
  ///     read:4     +0.055 s  shown                        hidden scrollDown ← translationY -20 ≤ 0
  ///
  /// - Parameters:
  ///   - detail: How much the rows say.
  ///   - label: Returns the name of an event, from the session's index and its own; by default both counted from 1.
  public func lines(
    detail: Detail = .reasons, label: (_ session: Int, _ event: Int) -> String = { "\($0 + 1).\($1 + 1)" }
  ) -> [String] {
    var lines: [String] = []
    if policies.count > 1 {
      lines += isSame ? [Self.agreement] : rowTable(detail, label).lines
      if detail.isCompact, !isSame { lines += legend(detail, width: .max) }
      lines.append("")
    }
    return lines + summary(isNarrow: detail.isCompact) + (hasFlickers ? [""] + flickers(label).lines : [])
  }

  /// The comparison as lines for a terminal that is too narrow for ``lines(detail:label:)`` with signs. Policies' names are
  /// broken, other names are shortened, and only then columns are left out; numbers stay whole.
  ///
  /// - Parameters:
  ///   - width: The most columns of characters that a line should have.
  ///   - label: Returns the name of an event, as for ``lines(detail:label:)``.
  /// - Returns: The lines, and the headings of the columns that are left out.
  public func lines(
    fitting width: Int, label: (_ session: Int, _ event: Int) -> String
  ) -> (lines: [String], leftOut: [String]) {
    var lines: [String] = []
    var leftOut: [String] = []
    func add(_ part: (lines: [String], leftOut: [String])) {
      lines += part.lines
      leftOut += part.leftOut.filter { !leftOut.contains($0) }
    }
    if policies.count > 1 {
      if isSame {
        lines.append(Self.agreement)
      } else {
        let (part, detail) = narrowRows(fitting: width, label)
        add(part)
        lines += legend(detail, width: width)
      }
      lines.append("")
    }
    add(summary(fitting: width))
    if hasFlickers {
      lines.append("")
      let names = TextTable.Shortening(column: 0, keepsEnd: false, least: 12)
      add(flickers(label).narrowed(to: width, shortening: [Self.labels(1), names], leavingOut: [3, 2]))
    }
    return (lines, leftOut)
  }

  /// The table of rows with as much detail as fits. The event, its time and one policy stay in any case.
  private func narrowRows(
    fitting width: Int, _ label: (Int, Int) -> String
  ) -> (table: (lines: [String], leftOut: [String]), detail: Detail) {
    let columns = 2..<2 + policies.count
    var table = rowTable(.short, label)
    for detail in [Detail.signs, .short] {
      table = rowTable(detail, label)
      if let lines = table.fitted(to: width, shortening: [Self.labels(0)]) { return ((lines, []), detail) }
      table.stackHeadings(of: columns)
      if let lines = table.fitted(to: width, shortening: [Self.labels(0)]) { return ((lines, []), detail) }
    }
    let labels = Self.labels(0, least: table.leastLabelWidth(0))
    if let lines = table.fitted(to: width, shortening: [labels]) { return ((lines, []), .short) }
    table.shortenParameters()
    return (
      table.narrowed(to: width, shortening: [labels], leavingOut: columns.dropFirst().reversed()), .short
    )
  }

  private static let agreement = "The policies agree on every event."

  /// The names of events, whose numbers are at their end.
  private static func labels(_ column: Int, least: Int = 16) -> TextTable.Shortening {
    TextTable.Shortening(column: column, keepsEnd: true, least: least)
  }

  /// The tallies as a table for a terminal that is too narrow for ``summary(isNarrow:)``.
  ///
  /// - Parameter width: The most columns of characters that a line should have.
  /// - Returns: The lines, and the headings of the columns that are left out.
  public func summary(fitting width: Int) -> (lines: [String], leftOut: [String]) {
    let table = PolicyTally.table(tallies, heading: "policy", isNarrow: true) { $0.policy.name }
    // The name has the values that tell variants apart.
    let names = TextTable.Shortening(column: 0, keepsEnd: false, least: .max)
    return table.narrowed(to: width, shortening: [names], leavingOut: [2, 4])
  }

  /// The tallies as a table.
  ///
  /// - Parameter isNarrow: Whether it has to fit into 60 columns.
  public func summary(isNarrow: Bool = false) -> [String] {
    PolicyTally.table(tallies, heading: "policy", isNarrow: isNarrow) { $0.policy.name }.lines
  }

  private func rowTable(_ detail: Detail, _ label: (Int, Int) -> String) -> TextTable {
    var table = TextTable(numeric: [1])
    let hasFields = !detail.isCompact
    table.add(["event", "time"] + policies.map(\.name) + (hasFields ? ["differing"] : []))
    for row in rows {
      let time = NumberText.sinceStart(row.sinceStart)
      let others = Self.otherFields(row.differing)
      let differing = row.differing.isEmpty ? "they agree again" : row.differing.names.joined(separator: " ")
      table.add(
        [label(row.session, row.event), time] + row.cells.map { Self.text($0, others, detail) }
          + (hasFields ? [differing] : []))
    }
    return table
  }

  /// The signs of the triggers in the rows, and the short names of fields, with what they stand for.
  private func legend(_ detail: Detail, width: Int) -> [String] {
    let triggers = Set(rows.flatMap { $0.cells.compactMap(\.trigger) })
    var lines: [String] = []
    let signs = Trigger.allCases.filter(triggers.contains).map { "\($0.sign()) \($0.name)" }
    for sign in signs + (detail == .short ? shortNames : []) {
      if let last = lines.last, last.count + 2 + sign.count <= width {
        lines[lines.count - 1] = last + "  " + sign
      } else {
        lines.append(sign)
      }
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// The short names of the fields that differ in the rows: `latch− bottomLatch=false`.
  private var shortNames: [String] {
    var names: [String] = []
    for row in rows {
      for field in Self.otherFields(row.differing) {
        for view in row.cells.map(\.view) {
          let (short, long) = (Self.text(field, view, .short), Self.text(field, view, .signs))
          if short != long, !names.contains("\(short) \(long)") { names.append("\(short) \(long)") }
        }
      }
    }
    return names
  }

  /// The fields other than the toolbar and its trigger.
  private static func otherFields(_ fields: WatchedFields) -> [FoldState.Field] {
    let others = fields.subtracting([.toolbar, .trigger])
    return FoldState.Field.watched.filter { others.contains($0.declaration.watched) }
  }

  /// What a policy shows, the values of other fields that differ, and the clause that decided at this event.
  private static func text(_ cell: Cell, _ fields: [FoldState.Field], _ detail: Detail) -> String {
    var words = ["\(cell.toolbar.name)"]
    if let trigger = cell.trigger {
      words.append(detail.isCompact ? "\(trigger.sign())" : "\(trigger.name)")
    }
    words += fields.map { Self.text($0, cell.view, detail) }
    let reason = detail == .reasons ? cell.reason.map { " ← \(NumberText.rounded(in: "\($0)"))" } ?? "" : ""
    return words.joined(separator: " ") + reason
  }

  /// A field with its value. Pages count from 1.
  private static func text(_ field: FoldState.Field, _ view: WatchedView, _ detail: Detail) -> String {
    if detail == .short, let name = shortName(of: field), let value = view[field] {
      switch "\(value)" {
      case "true": return name + "+"
      case "false": return name + "−"
      default: break
      }
    }
    guard let value = view[field] else { return "\(field.name)=none" }
    if field == .pageIndex, let page = Int("\(value)") { return "page=\(page + 1)" }
    return "\(field.name)=\(value)"
  }

  private static func shortName(of field: FoldState.Field) -> String? {
    switch field {
    case .reachBottom: "end"
    case .bottomLatch: "latch"
    case .topButton: "top"
    default: nil
    }
  }

  /// The flickers of each policy: the event that turned the toolbar back, and how long it had been turned.
  private func flickers(_ label: (Int, Int) -> String) -> TextTable {
    var table = TextTable(numeric: [2, 3])
    table.add(["flickers of", "event", "time", "turned back after"])
    for tally in tallies {
      for flicker in tally.flickers {
        table.add([
          tally.policy.name, label(flicker.session, flicker.event), NumberText.sinceStart(flicker.sinceStart),
          NumberText.seconds(flicker.elapsed),
        ])
      }
    }
    return table
  }

  private var hasFlickers: Bool { !tallies.allSatisfy(\.flickers.isEmpty) }
}

extension PolicyTally {
  /// Tallies as a table.
  ///
  /// - Parameters:
  ///   - heading: The heading of the first column.
  ///   - isNarrow: Whether the headings are short.
  ///   - name: Returns a tally's text in the first column.
  static func table(
    _ tallies: [PolicyTally], heading: String, isNarrow: Bool = false, name: (PolicyTally) -> String
  ) -> TextTable {
    var table = TextTable(numeric: [1, 2, 3, 4])
    table.add([heading, "flips", isNarrow ? "flips/min" : "flips/min of scrolling", "flickers", "hidden"])
    for tally in tallies {
      let rate = tally.flipsPerMinute.map { NumberText.fixed($0, places: 1) } ?? "–"
      let share = tally.duration > 0 ? Double(tally.hidden) * 100 / Double(tally.duration) : 0
      let hidden = "\(NumberText.seconds(tally.hidden)) (\(NumberText.fixed(share, places: 0)) %)"
      table.add([name(tally), "\(tally.flips)", rate, "\(tally.flickers.count)", hidden])
    }
    return table
  }
}
