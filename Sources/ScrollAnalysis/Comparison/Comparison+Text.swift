import ScrollModel

extension Comparison {
  /// The comparison as lines for a terminal: a table of the rows, then one of the tallies, then each flicker.
  ///
  ///     event          time  safari                       classic
  ///     read:4      0.055 s  shown                        hidden scrollDown ← translationY -20 ≤ 0
  ///
  /// - Parameter label: Returns the name of an event, from the session's index and its own; by default both counted from 1.
  public func lines(label: (_ session: Int, _ event: Int) -> String = { "\($0 + 1).\($1 + 1)" }) -> [String] {
    var lines: [String] = []
    if policies.count > 1 {
      lines += isSame ? ["The policies agree on every event."] : rowTable(label)
      lines.append("")
    }
    return lines + tallyTable + flickers(label)
  }

  private func rowTable(_ label: (Int, Int) -> String) -> [String] {
    var table = TextTable(numeric: [1])
    table.add(["event", "time"] + policies.map(\.name) + ["differing"])
    for row in rows {
      let time = NumberText.seconds(row.sinceStart)
      let others = row.differing.subtracting([.toolbar, .trigger])
      let differing = row.differing.isEmpty ? "they agree again" : row.differing.names.joined(separator: " ")
      table.add([label(row.session, row.event), time] + row.cells.map { Self.text($0, others) } + [differing])
    }
    return table.lines
  }

  /// What a policy shows, the values of other fields that differ, and the clause that decided at this event.
  private static func text(_ cell: Cell, _ fields: WatchedFields) -> String {
    var words = ["\(cell.toolbar.name)"]
    if let trigger = cell.trigger { words.append("\(trigger.name)") }
    for field in FoldState.Field.watched where fields.contains(field.declaration.watched) {
      words.append("\(field.name)=" + (cell.view[field].map { "\($0)" } ?? "none"))
    }
    let reason = cell.reason.map { " ← \($0)" } ?? ""
    return words.joined(separator: " ") + reason
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

  private var tallyTable: [String] {
    var table = TextTable(numeric: [1, 2, 3, 4])
    table.add(["policy", "flips", "flips/min of scrolling", "flickers", "hidden"])
    for tally in tallies {
      let rate = tally.flipsPerMinute.map { NumberText.fixed($0, places: 1) } ?? "–"
      let share = tally.duration > 0 ? Double(tally.hidden) * 100 / Double(tally.duration) : 0
      let hidden = "\(NumberText.seconds(tally.hidden)) (\(NumberText.fixed(share, places: 0)) %)"
      table.add([tally.policy.name, "\(tally.flips)", rate, "\(tally.flickers.count)", hidden])
    }
    return table.lines
  }
}
