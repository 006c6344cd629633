import ScrollModel

extension SessionReport {
  /// What the script looks up: each event's time, offset and kind, and what changed when.
  var data: String {
    var data = ScriptData()
    data.object { data in
      data.member("kind") { $0.string("session") }
      data.member("duration") { $0.integer(curve.duration) }
      // Differences are short.
      data.member("times") { $0.string(NumberDigits.text(Self.differences(times))) }
      data.member("numbered") { $0.string(numbered.lowercased()) }
      data.member("numbers") { $0.string(NumberDigits.runs(Self.differences(numbers))) }
      data.member("offsets") { $0.string(NumberDigits.text(Self.differences(offsets))) }
      data.member("known") { $0.integer(Int64(events.firstIndex { $0.y != nil } ?? events.count)) }
      data.member("kinds") { $0.array { data in for kind in Event.Kind.allCases { data.string("\(kind.name)") } } }
      data.member("events") { $0.string(NumberDigits.runs(events.map { Int64($0.kind.rawValue) })) }
      data.member("sizes") { writeSizes(to: &$0) }
      var reasons = ReasonTemplates()
      data.member("policies") { $0.array { data in for track in tracks { Self.write(track, &reasons, to: &data) } } }
      data.member("reasons") { $0.array { data in for template in reasons.templates { data.string(template) } } }
      data.member("triggers") {
        $0.array { data in for trigger in Trigger.allCases { data.string("\(trigger.name)") } }
      }
    }
    return data.text
  }

  /// The offsets in hundredths of a point.
  private var offsets: [Int64] {
    var y = 0.0
    return events.map { event in
      y = event.y ?? y
      return Int64((min(max(y, -1e9), 1e9) * 100).rounded())
    }
  }

  private static func differences(_ values: [Int64]) -> [Int64] {
    zip(values, [0] + values).map { $0 - $1 }
  }

  /// Each change of the content's and the frame's height.
  private func writeSizes(to data: inout ScriptData) {
    var geometry = Geometry()
    var last: (content: Double?, frame: Double?) = (nil, nil)
    data.array { data in
      for (index, event) in events.enumerated() where event.kind == .layout {
        geometry.update(with: event)
        let now = (content: geometry.contentHeight, frame: geometry.frameHeight)
        guard now != last else { continue }
        last = now
        data.array { data in
          data.integer(Int64(index))
          data.number(now.content ?? 0)
          data.number(now.frame ?? 0)
        }
      }
    }
  }

  private static func write(_ track: ReportTrack, _ reasons: inout ReasonTemplates, to data: inout ScriptData) {
    data.object { data in
      data.member("name") { $0.string(track.policy.name) }
      var digits = NumberDigits()
      var last = 0
      for change in track.changes {
        write(change, after: last, &reasons, to: &digits)
        last = change.event
      }
      data.member("changes") { $0.string(digits.text) }
    }
  }

  /// Writes how many events later the change is, whether the toolbar is hidden together with the trigger, and the reason as a
  /// template with its numbers.
  private static func write(
    _ change: ReportTrack.Change, after last: Int, _ reasons: inout ReasonTemplates, to digits: inout NumberDigits
  ) {
    digits.append(Int64(change.event - last))
    let trigger = change.view.trigger.flatMap { Trigger.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    digits.append(Int64(trigger * 2 + (change.view.toolbar == .hidden ? 1 : 0)))
    guard let reason = change.reason else { return digits.append(0) }
    let (template, numbers) = reasons.take(NumberText.rounded(in: reason.description))
    digits.append(Int64(template + 1))
    for number in numbers { digits.append(number) }
  }
}

/// Reasons without their numbers, each once: sessions have thousands of reasons, and few clauses.
private struct ReasonTemplates {
  private(set) var templates: [String] = []

  /// Returns the index of a reason's template, and the numbers to put in place of each `#`, in thousandths.
  mutating func take(_ reason: String) -> (template: Int, numbers: [Int64]) {
    var numbers: [Int64] = []
    let words = reason.split(separator: " ", omittingEmptySubsequences: false).map { word -> Substring in
      guard let number = Double(word), number.magnitude < 1e9, shortest(number) == word else { return word }
      let thousandths = (number * 1000).rounded()
      guard thousandths / 1000 == number else { return word }
      numbers.append(Int64(thousandths))
      return "#"
    }
    let template = words.joined(separator: " ")
    if let index = templates.firstIndex(of: template) { return (index, numbers) }
    templates.append(template)
    return (templates.count - 1, numbers)
  }
}
