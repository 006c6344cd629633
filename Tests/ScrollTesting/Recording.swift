import ScrollModel

/// A recording: its title and its events, each with its line in the file.
public struct Recording: Sendable {
  /// A line that is not a record.
  public struct Malformed: Error {
    /// The line's text.
    public let line: String
  }

  /// The title in the opening line.
  public private(set) var title = ""
  /// The events, in order.
  public private(set) var events: [Event] = []
  /// The line of each event in the file, 1 for the first.
  public private(set) var lines: [Int] = []
  /// The time of the closing line; `nil` without one.
  public private(set) var closed: Int64?

  /// Reads a recording's text and skips lines other than events.
  ///
  /// - Throws: ``Malformed`` for a line of unknown kind, Foundation's error for bad JSON, or the event's problem.
  public init(_ text: String) throws {
    for (index, line) in text.split(separator: "\n").enumerated() {
      let object = try JSONLine(line)
      switch object.text("kind") {
      case "open": title = object.text("title") ?? ""
      case "close": closed = object.integer("time")
      case "request", "response": continue
      case let name:
        guard let kind = Event.Kind.allCases.first(where: { "\($0.name)" == name }),
          let time = object.integer("time")
        else { throw Malformed(line: String(line)) }
        let event = Self.event(kind, time: time, object)
        try event.validate()
        events.append(event)
        lines.append(index + 1)
      }
    }
  }

  private static func event(_ kind: Event.Kind, time: Int64, _ object: JSONLine) -> Event {
    var event = Event(kind, time: time)
    for field in Event.Field.allCases {
      switch field.valueType {
      case .number: event[number: field] = object.number("\(field.name)")
      case .flag: event[flag: field] = object.flag("\(field.name)")
      case .source:
        let name = object.text("source")
        event.source = Event.Source.allCases.first { "\($0.name)" == name }
      }
    }
    return event
  }
}
