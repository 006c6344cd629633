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
  ///     read:4      0.055 s  shown                        hidden scrollDown ← translationY -20 ≤ 0
  ///
  /// - Parameters:
  ///   - detail: How much the rows say.
  ///   - label: Returns the name of an event, from the session's index and its own; by default both counted from 1.
  public func lines(
    detail: Detail = .reasons, label: (_ session: Int, _ event: Int) -> String = { "\($0 + 1).\($1 + 1)" }
  ) -> [String] {
    var lines: [String] = []
    if policies.count > 1 {
      lines += isSame ? ["The policies agree on every event."] : rowTable(detail, label)
      lines.append("")
    }
    return lines + summary(isNarrow: detail == .signs) + flickers(label)
  }

  /// The tallies as a table.
  ///
  /// - Parameter isNarrow: Whether it has to fit into 60 columns.
  public func summary(isNarrow: Bool = false) -> [String] {
    PolicyTally.table(tallies, heading: "policy", isNarrow: isNarrow) { $0.policy.name }
  }

  private func rowTable(_ detail: Detail, _ label: (Int, Int) -> String) -> [String] {
    var table = TextTable(numeric: [1])
    let hasFields = detail != .signs
    table.add(["event", "time"] + policies.map(\.name) + (hasFields ? ["differing"] : []))
    for row in rows {
      let time = NumberText.seconds(row.sinceStart)
      let others = row.differing.subtracting([.toolbar, .trigger])
      let differing = row.differing.isEmpty ? "they agree again" : row.differing.names.joined(separator: " ")
      table.add(
        [label(row.session, row.event), time] + row.cells.map { Self.text($0, others, detail) }
          + (hasFields ? [differing] : []))
    }
    guard detail == .signs else { return table.lines }
    let triggers = Set(rows.flatMap { $0.cells.compactMap(\.trigger) })
    let signs = Trigger.allCases.filter(triggers.contains).map {
      "\($0.sign()) \($0.name)"
    }
    return table.lines + (signs.isEmpty ? [] : ["", signs.joined(separator: "  ")])
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
  private func flickers(_ label: (Int, Int) -> String) -> [String] {
    var table = TextTable(numeric: [2, 3])
    table.add(["flickers of", "event", "time", "turned back after"])
    for tally in tallies {
      for flicker in tally.flickers {
        table.add([
          tally.policy.name, label(flicker.session, flicker.event), NumberText.seconds(flicker.sinceStart),
          NumberText.seconds(flicker.elapsed),
        ])
      }
    }
    return tallies.allSatisfy(\.flickers.isEmpty) ? [] : [""] + table.lines
  }
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
  ) -> [String] {
    var table = TextTable(numeric: [1, 2, 3, 4])
    table.add([heading, "flips", isNarrow ? "flips/min" : "flips/min of scrolling", "flickers", "hidden"])
    for tally in tallies {
      let rate = tally.flipsPerMinute.map { NumberText.fixed($0, places: 1) } ?? "–"
      let share = tally.duration > 0 ? Double(tally.hidden) * 100 / Double(tally.duration) : 0
      let hidden = "\(NumberText.seconds(tally.hidden)) (\(NumberText.fixed(share, places: 0)) %)"
      table.add([name(tally), "\(tally.flips)", rate, "\(tally.flickers.count)", hidden])
    }
    return table.lines
  }
}
