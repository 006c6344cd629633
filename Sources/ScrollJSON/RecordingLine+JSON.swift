import JSON
import ScrollModel

extension RecordingLine {
  /// Reads a line of a recording, or a record of the log, from its JSON object.
  ///
  /// - Throws: `EventProblem` that names the field: an unknown kind or member, a missing or wrongly typed field, a bad
  ///   client name, or anything for which an event is refused.
  public init(json value: JSONValue) throws(EventProblem) {
    guard let kind = value["kind"]?.asText else {
      self = .event(try Event(json: value))
      return
    }
    switch kind {
    case "open": self = try Self.open(value)
    case "close": self = try Self.close(value)
    case "request": self = try Self.request(value)
    case "response": self = try Self.response(value)
    default: self = .event(try Event(json: value))
    }
  }

  private static func open(_ value: JSONValue) throws(EventProblem) -> RecordingLine {
    var members = try MemberReader(value, of: "open")
    let client = try members.string("client")
    try ClientName.validate(client)
    // When a daemon received it, for people and other programs.
    _ = try members.optionalInteger("received")
    let line = RecordingLine.open(
      time: try members.time(), client: client, application: try members.optionalText("application"),
      title: try members.optionalText("title"), policy: try members.policy(),
      session: try members.session(), user: try members.user())
    try members.finish()
    return line
  }

  private static func close(_ value: JSONValue) throws(EventProblem) -> RecordingLine {
    var members = try MemberReader(value, of: "close")
    let time = try members.time()
    // Other programs may write reasons of their own.
    let reason = try members.optionalString("reason").flatMap { name in
      Closing.Reason.allCases.first { "\($0.name)" == name }
    }
    let line = RecordingLine.close(time: time, reason: reason)
    try members.finish()
    return line
  }

  private static func request(_ value: JSONValue) throws(EventProblem) -> RecordingLine {
    var members = try MemberReader(value, of: "request")
    let time = try members.time()
    let target = try members.target()
    try members.finish()
    return .request(ScrollRequest(time: time, target: target))
  }

  private static func response(_ value: JSONValue) throws(EventProblem) -> RecordingLine {
    var members = try MemberReader(value, of: "response")
    let response = ScrollResponse(
      time: try members.time(), request: try members.integer("request"), done: try members.flag("done"),
      reason: try members.optionalText("reason"))
    try members.finish()
    return .response(response)
  }
}
