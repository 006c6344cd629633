import JSON
import ScrollModel

extension Event {
  /// Reads an event from a JSON object and checks it, as ``validate()`` does.
  ///
  /// Allocates nothing unless the event is refused.
  ///
  /// - Throws: `EventProblem` that names the field: an unknown kind or member, a missing or wrongly typed field, a
  ///   number out of range, or anything that ``validate()`` refuses.
  public init(json: JSONValue) throws(EventProblem) {
    self.init(.scroll, time: 0)
    try replace(withJSON: json)
  }

  /// Reads an event from a JSON object like ``init(json:)``, into an existing one, which is replaced completely: a call has
  /// many events, and they are large. An event that is refused leaves parts of it.
  ///
  /// It is not inlined: the optimiser would hold every field in a variable, and move all of them for each member.
  ///
  /// - Throws: `EventProblem`, as ``init(json:)`` does.
  @inline(never)
  public mutating func replace(withJSON json: JSONValue) throws(EventProblem) {
    guard let object = json.asObject else {
      throw EventProblem(field: "event", reason: "is \(json.kind.article): it must be an object")
    }
    // The kind is used only after all members are read, so they may come in any order.
    self = Event(.scroll, time: 0)
    var hasKind = false
    var hasTime = false
    let names = EventNames.shared
    for member in object {
      switch names[member.name] {
      case .kind:
        kind = try Self.kind(member.value)
        hasKind = true
      case .time:
        time = try Self.time(member.value)
        hasTime = true
      case .field(let field):
        // In Varlink null and absent are the same.
        guard read(field, member.value) || member.value.isNull else {
          throw Self.problem(with: member.value, of: field)
        }
      case nil:
        throw EventProblem(field: member.name.string, reason: "is not a field of an event")
      }
    }
    if !hasKind { throw EventProblem(field: "kind", reason: "is missing: it must be one of \(Kind.names)") }
    if !hasTime { throw EventProblem(field: "time", reason: "is missing: it must be microseconds since 1970") }
    try validate()
  }

  /// Reads a field's value. Returns whether it is of the field's type.
  @inline(__always)
  private mutating func read(_ field: Field, _ value: JSONValue) -> Bool {
    switch field.valueType {
    case .number:
      guard let number = value.asDouble else { return false }
      self[number: field] = number
    case .flag:
      guard let flag = value.asBool else { return false }
      self[flag: field] = flag
    case .source:
      guard let source = Source(named: value.asText) else { return false }
      self.source = source
    }
    return true
  }

  private static func kind(_ value: JSONValue) throws(EventProblem) -> Kind {
    if let text = value.asText, let kind = Kind(name: text) { return kind }
    let found = value.asString.map { "“\($0)”" } ?? value.kind.article
    throw EventProblem(field: "kind", reason: "is \(found): it must be one of \(Kind.names)")
  }

  private static func time(_ value: JSONValue) throws(EventProblem) -> Int64 {
    if let time = value.asInt64 { return time }
    let found =
      switch value.kind {
      case .unsignedInteger: "a number out of range"
      // Even if the fraction is 0, as in 5.0.
      case .double: "a number written with a fraction or an exponent"
      default: value.kind.article
      }
    throw EventProblem(
      field: "time", reason: "is \(found): it must be a whole number of microseconds since 1970")
  }

  /// What is wrong with a value that is not of a field's type.
  private static func problem(with value: JSONValue, of field: Field) -> EventProblem {
    let reason =
      switch field.valueType {
      case .number: "is \(value.kind.article): it must be a finite number"
      case .flag: "is \(value.kind.article): it must be true or false"
      case .source: "is \(value.asString.map { "“\($0)”" } ?? value.kind.article): it must be user, program or layout"
      }
    return EventProblem(field: "\(field.name)", reason: reason)
  }

  /// Writes the event as a JSON object: kind, time, then its fields.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  func writeMembers(to writer: inout JSONWriter) {
    // A log has millions of events, so their text is written in one piece.
    writer.text(maximumCount: EventKeys.maximumTextCount) { start in
      var end = start
      EventKeys.write("\"kind\":\"", to: &end)
      EventKeys.write(kind.name, to: &end)
      EventKeys.write("\",\"time\":", to: &end)
      if time < 0 { EventKeys.write("-", to: &end) }
      end += DecimalDigits.write(time.magnitude, to: end)
      let keys = EventKeys.shared
      var rest = kind == .layout ? fields : fields.subtracting(.layout)
      while let field = rest.popFirst() {
        switch field.valueType {
        case .number:
          guard let number = self[number: field] else { break }
          keys.write(field, to: &end)
          // No event from outside has NaN or an infinity, but one that a program makes may.
          if number.isFinite { end += DecimalDigits.write(number, to: end) } else { EventKeys.write("null", to: &end) }
        case .flag:
          guard let flag = self[flag: field] else { break }
          keys.write(field, to: &end)
          EventKeys.write(flag ? "true" : "false", to: &end)
        case .source:
          guard let source else { break }
          keys.write(field, to: &end)
          EventKeys.write("\"", to: &end)
          EventKeys.write(source.name, to: &end)
          EventKeys.write("\"", to: &end)
        }
      }
      return end
    }
  }
}

extension Event: JSONWritable {}

extension Event.Source {
  /// Creates the source with a name, without making a `String` of it.
  init?(named text: JSONText?) {
    guard let text else { return nil }
    for source in [Self.user, .program, .layout] where text == source.name {
      self = source
      return
    }
    return nil
  }
}

extension Event.Kind {
  /// Creates the kind with a name, without making a `String` of it.
  init?(name text: JSONText) {
    switch text {
    case "scroll": self = .scroll
    case "layout": self = .layout
    case "dragBegin": self = .dragBegin
    case "dragEnd": self = .dragEnd
    case "scrollEnd": self = .scrollEnd
    case "zoomBegin": self = .zoomBegin
    case "zoom": self = .zoom
    case "zoomEnd": self = .zoomEnd
    default: return nil
    }
  }

  static var names: String { allCases.map { "\($0.name)" }.joined(separator: ", ") }
}

extension StaticString {
  /// The literal's UTF-8.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}

extension JSONKind {
  /// The type with an article, for messages.
  var article: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .unsignedInteger: "an integer"
    case .double: "a number with a fraction"
    case .numberOutOfRange: "a number out of range"
    case .string: "a string"
    case .object: "an object"
    case .array: "an array"
    }
  }
}
