import JSON
import ScrollModel

/// Reads the members of a line other than an event one by one, and refuses unknown ones.
struct MemberReader {
  private let object: JSONObject
  private let kind: String
  private var known = ["kind"]

  init(_ value: JSONValue, of kind: String) throws(EventProblem) {
    guard let object = value.asObject else {
      throw EventProblem(field: kind, reason: "is \(value.kind.article): it must be an object")
    }
    self.object = object
    self.kind = kind
  }

  mutating func value(_ name: StaticString) throws(EventProblem) -> JSONValue {
    if let value = optionalValue(name) { return value }
    throw EventProblem(field: "\(name)", reason: "is missing: a line of kind \(kind) needs it")
  }

  mutating func optionalValue(_ name: StaticString) -> JSONValue? {
    known.append("\(name)")
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  mutating func string(_ name: StaticString) throws(EventProblem) -> String {
    let value = try value(name)
    guard let string = value.asString else {
      throw EventProblem(field: "\(name)", reason: "is \(value.kind.article): it must be a string")
    }
    return string
  }

  mutating func optionalString(_ name: StaticString) throws(EventProblem) -> String? {
    optionalValue(name) == nil ? nil : try string(name)
  }

  /// Reads a text that the log stores, which may be absent.
  mutating func optionalText(_ name: StaticString) throws(EventProblem) -> String? {
    guard let text = try optionalString(name) else { return nil }
    let (length, limit) = (text.utf8.count, Opening.maximumTextLength)
    if length > limit {
      throw EventProblem(field: "\(name)", reason: "has \(length) bytes of UTF-8: it may have at most \(limit)")
    }
    return text
  }

  mutating func integer(_ name: StaticString) throws(EventProblem) -> Int64 {
    let value = try value(name)
    guard let integer = value.asInt64 else {
      throw EventProblem(field: "\(name)", reason: "is \(value.kind.article): it must be a whole number")
    }
    return integer
  }

  mutating func optionalInteger(_ name: StaticString) throws(EventProblem) -> Int64? {
    optionalValue(name) == nil ? nil : try integer(name)
  }

  mutating func number(_ name: StaticString) throws(EventProblem) -> Double {
    let value = try value(name)
    guard let number = value.asDouble else {
      throw EventProblem(field: "\(name)", reason: "is \(value.kind.article): it must be a finite number")
    }
    return number
  }

  mutating func flag(_ name: StaticString) throws(EventProblem) -> Bool {
    let value = try value(name)
    guard let flag = value.asBool else {
      throw EventProblem(field: "\(name)", reason: "is \(value.kind.article): it must be true or false")
    }
    return flag
  }

  mutating func time() throws(EventProblem) -> Int64 {
    let time = try integer("time")
    guard (0...Event.latestTime).contains(time) else {
      throw EventProblem(
        field: "time", reason: "is \(time): it must lie between 0 and 2^53 microseconds since 1970")
    }
    return time
  }

  mutating func session() throws(EventProblem) -> SessionID? {
    guard let text = try optionalString("session") else { return nil }
    guard let id = SessionID(text) else {
      throw EventProblem(field: "session", reason: "is “\(text)”: it must have 32 hexadecimal digits")
    }
    return id
  }

  mutating func user() throws(EventProblem) -> UInt32? {
    guard optionalValue("user") != nil else { return nil }
    let value = try integer("user")
    guard let user = UInt32(exactly: value), user != .max else {
      throw EventProblem(field: "user", reason: "is \(value): it must be a user id, from 0 to \(UInt32.max - 1)")
    }
    return user
  }

  mutating func target() throws(EventProblem) -> ScrollRequest.Target {
    switch try string("target") {
    case "top": return .top
    case "bottom": return .bottom
    case "page":
      let page = try integer("page")
      if page < 0 { throw EventProblem(field: "page", reason: "is \(page): it must be 0 or more") }
      return .page(page)
    case "offset": return .offset(x: try number("x"), y: try number("y"))
    case let other:
      throw EventProblem(field: "target", reason: "is “\(other)”: it must be top, bottom, page or offset")
    }
  }

  /// Refuses members that no other call has read.
  func finish() throws(EventProblem) {
    for member in object where !known.contains(where: { member.name.equals($0) }) {
      throw EventProblem(field: member.name.string, reason: "is not a field of a line of kind \(kind)")
    }
  }
}
