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
      if detail == .signs, !isSame { lines += legend(width: .max) }
      lines.append("")
    }
    return lines + summary(isNarrow: detail == .signs) + (hasFlickers ? [""] + flickers(label).lines : [])
  }

  /// The comparison as lines for a terminal that is too narrow for ``lines(detail:label:)`` with signs. Names are shortened, and
  /// then columns are left out; numbers stay whole.
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
        // The event, its time and one policy stay.
        add(
          rowTable(.signs, label).narrowed(
            to: width, shortening: [Self.labels(0)], leavingOut: (3..<2 + policies.count).reversed()))
        lines += legend(width: width)
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

  private static let agreement = "The policies agree on every event."

  /// The names of events, whose numbers are at their end.
  private static func labels(_ column: Int) -> TextTable.Shortening {
    TextTable.Shortening(column: column, keepsEnd: true, least: 16)
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
    let hasFields = detail != .signs
    table.add(["event", "time"] + policies.map(\.name) + (hasFields ? ["differing"] : []))
    for row in rows {
      let time = NumberText.sinceStart(row.sinceStart)
      let others = row.differing.subtracting([.toolbar, .trigger])
      let differing = row.differing.isEmpty ? "they agree again" : row.differing.names.joined(separator: " ")
      table.add(
        [label(row.session, row.event), time] + row.cells.map { Self.text($0, others, detail) }
          + (hasFields ? [differing] : []))
    }
    return table
  }

  /// The signs of the triggers in the rows, with their names.
  private func legend(width: Int) -> [String] {
    let triggers = Set(rows.flatMap { $0.cells.compactMap(\.trigger) })
    var lines: [String] = []
    for sign in Trigger.allCases.filter(triggers.contains).map({ "\($0.sign()) \($0.name)" }) {
      if let last = lines.last, last.count + 2 + sign.count <= width {
        lines[lines.count - 1] = last + "  " + sign
      } else {
        lines.append(sign)
      }
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// What a policy shows, the values of other fields that differ, and the clause that decided at this event.
  private static func text(_ cell: Cell, _ fields: WatchedFields, _ detail: Detail) -> String {
    var words = ["\(cell.toolbar.name)"]
    if let trigger = cell.trigger {
      words.append(detail == .signs ? "\(trigger.sign())" : "\(trigger.name)")
    }
    for field in FoldState.Field.watched where fields.contains(field.declaration.watched) {
      words.append(Self.text(field, cell.view))
    }
    let reason = detail == .reasons ? cell.reason.map { " ← \(NumberText.rounded(in: "\($0)"))" } ?? "" : ""
    return words.joined(separator: " ") + reason
  }

  /// A field with its value. Pages count from 1.
  private static func text(_ field: FoldState.Field, _ view: WatchedView) -> String {
    guard let value = view[field] else { return "\(field.name)=none" }
    if field == .pageIndex, let page = Int("\(value)") { return "page=\(page + 1)" }
    return "\(field.name)=\(value)"
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
