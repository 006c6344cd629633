import Platform
import ScrollAnalysis
import ScrollClient
import ScrollModel

/// The log's records as lines of text.
struct LogText {
  var style = Style()
  var times = TimeText()
  /// The clock of the times.
  var clock = LogReading.Clock.received
  /// The calling user, whose clients are printed without an owner.
  var ownUser = CurrentProcess.effectiveUser
  private var users = UserNames()

  init(style: Style = Style(), clock: LogReading.Clock = .received) {
    self.style = style
    self.clock = clock
  }

  mutating func line(_ entry: LogEntry) -> String {
    let position = String(entry.position)
    let head = String(repeating: " ", count: max(0, 7 - position.count)) + position
    let number = entry.number.map { " #\($0)" } ?? ""
    let client = style.bold(visible(entry.client)) + owner(entry.user)
    let time = clock.time(of: entry)
    // The date takes as much room as a name.
    let shown = style.columns ?? .max < 80 ? times.clock(time) : times.dateWithMilliseconds(time)
    return "\(head)  \(shown)  \(client)\(number)  \(text(entry.record))"
  }

  /// Returns the owner of other users' clients, because clients of several users may have the same name.
  private mutating func owner(_ user: UInt32) -> String {
    user == ownUser ? "" : " of \(users.name(of: user))"
  }

  private func text(_ record: LogEntry.Record) -> String {
    switch record {
    case .open(_, let application, let title, let policy):
      style.cyan("open") + (title.map { " “\(visible($0))”" } ?? "") + (application.map { " by \(visible($0))" } ?? "")
        + (policy.map { ", policy \(visible($0.name))" } ?? "")
    case .close(_, let reason): style.cyan("close") + (reason.map { " (\($0.name))" } ?? "")
    case .request(let request): style.cyan("request") + " to scroll to \(request.target.text)"
    case .response(let response):
      style.cyan("response") + " to \(response.request): " + (response.done ? "done" : "not done")
        + (response.reason.map { " (\(visible($0)))" } ?? "")
    case .event(let event): text(event)
    }
  }

  /// Returns the event's kind and fields.
  private func text(_ event: Event) -> String {
    var words = [style.cyan("\(event.kind.name)")]
    for field in Event.Field.allCases {
      switch field.valueType {
      case .number:
        if let value = event[number: field] { words.append("\(field.name) \(NumberText.rounded(in: shortest(value)))") }
      case .flag: if let value = event[flag: field] { words.append("\(field.name) \(value ? "yes" : "no")") }
      case .source: if let source = event.source { words.append("source \(source.name)") }
      }
    }
    return words.joined(separator: " ")
  }
}
