// Events in their JSON form, both ways.

import JSON
import ScrollModel

extension Event {
  /// Reads an event from a JSON object and checks it, as ``validate()`` does.
  ///
  /// Allocates nothing unless the event is refused.
  ///
  /// - Throws: `EventProblem` that names the field: an unknown kind or member, a missing or wrongly typed field, a
  ///   number out of range, and all that ``validate()`` refuses.
  public init(json: JSONValue) throws(EventProblem) {
    guard let object = json.asObject else {
      throw EventProblem(field: "event", reason: "is \(json.kind.article): it must be an object")
    }
    // The kind decides about nothing until all is read, so that members may come in any order.
    self.init(.scroll, time: 0)
    var hasKind = false
    var hasTime = false
    for member in object {
      switch member.name {
      case "kind":
        kind = try Self.kind(member.value)
        hasKind = true
      case "time":
        time = try Self.time(member.value)
        hasTime = true
      case "x": x = try Self.number(member)
      case "y": y = try Self.number(member)
      case "translationX": translationX = try Self.number(member)
      case "translationY": translationY = try Self.number(member)
      case "willDecelerate": willDecelerate = try Self.flag(member)
      case "source": source = try Self.source(member.value)
      case "zoomScale": zoomScale = try Self.number(member)
      case "contentWidth": contentWidth = try Self.number(member)
      case "contentHeight": contentHeight = try Self.number(member)
      case "frameWidth": frameWidth = try Self.number(member)
      case "frameHeight": frameHeight = try Self.number(member)
      case "insetTop": insetTop = try Self.number(member)
      case "insetLeft": insetLeft = try Self.number(member)
      case "insetBottom": insetBottom = try Self.number(member)
      case "insetRight": insetRight = try Self.number(member)
      case "minimumZoomScale": minimumZoomScale = try Self.number(member)
      case "maximumZoomScale": maximumZoomScale = try Self.number(member)
      case "rightToLeft": rightToLeft = try Self.flag(member)
      default:
        throw EventProblem(field: member.name.string, reason: "is no field of an event")
      }
    }
    if !hasKind { throw EventProblem(field: "kind", reason: "is missing: it must be one of \(Kind.names)") }
    if !hasTime { throw EventProblem(field: "time", reason: "is missing: it must be microseconds since 1970") }
    try validate()
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
      // Also where the fraction is nothing, as in 5.0.
      case .double: "a number written with a fraction or an exponent"
      default: value.kind.article
      }
    throw EventProblem(
      field: "time", reason: "is \(found): it must be a whole number of microseconds since 1970")
  }

  private static func number(_ member: JSONObject.Member) throws(EventProblem) -> Double? {
    if let number = member.value.asDouble { return number }
    // In Varlink null and absent are the same.
    if member.value.isNull { return nil }
    throw EventProblem(
      field: member.name.string, reason: "is \(member.value.kind.article): it must be a finite number")
  }

  private static func flag(_ member: JSONObject.Member) throws(EventProblem) -> Bool? {
    if let flag = member.value.asBool { return flag }
    if member.value.isNull { return nil }
    throw EventProblem(
      field: member.name.string, reason: "is \(member.value.kind.article): it must be true or false")
  }

  private static func source(_ value: JSONValue) throws(EventProblem) -> Source? {
    if value.isNull { return nil }
    if let text = value.asText {
      for source in [Source.user, .program, .layout] where text == source.name { return source }
    }
    let found = value.asString.map { "“\($0)”" } ?? value.kind.article
    throw EventProblem(field: "source", reason: "is \(found): it must be user, program or layout")
  }

  /// Writes the event as a JSON object: kind, time, then the fields that it has.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.key("kind")
    writer.string(utf8: kind.name.bytes)
    writer.member("time", time)
    writer.member("x", ifPresent: x)
    writer.member("y", ifPresent: y)
    writer.member("translationX", ifPresent: translationX)
    writer.member("translationY", ifPresent: translationY)
    writer.member("willDecelerate", ifPresent: willDecelerate)
    if let source {
      writer.key("source")
      writer.string(utf8: source.name.bytes)
    }
    writer.member("zoomScale", ifPresent: zoomScale)
    guard kind == .layout else { return }
    writer.member("contentWidth", ifPresent: contentWidth)
    writer.member("contentHeight", ifPresent: contentHeight)
    writer.member("frameWidth", ifPresent: frameWidth)
    writer.member("frameHeight", ifPresent: frameHeight)
    writer.member("insetTop", ifPresent: insetTop)
    writer.member("insetLeft", ifPresent: insetLeft)
    writer.member("insetBottom", ifPresent: insetBottom)
    writer.member("insetRight", ifPresent: insetRight)
    writer.member("minimumZoomScale", ifPresent: minimumZoomScale)
    writer.member("maximumZoomScale", ifPresent: maximumZoomScale)
    writer.member("rightToLeft", ifPresent: rightToLeft)
  }
}

extension Event: JSONWritable {}

extension Event.Kind {
  /// The kind of a name, without making a string of it.
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
  /// What a value is, as people say it.
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
