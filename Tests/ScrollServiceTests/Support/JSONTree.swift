import JSON

/// A JSON value that tests write as a literal, send and compare. Null members are left out: in Varlink, the two are the same.
indirect enum JSONTree: Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(_ value: JSONValue) {
    if let bool = value.asBool {
      self = .bool(bool)
    } else if let int = value.asInt64 {
      self = .int(int)
    } else if let double = value.asDouble {
      self = .double(double)
    } else if let string = value.asString {
      self = .string(string)
    } else if let array = value.asArray {
      self = .array(array.map { JSONTree($0) })
    } else if let object = value.asObject {
      self = JSONTree(object)
    } else {
      self = .null
    }
  }

  init(_ object: JSONObject?) {
    var members: [String: JSONTree] = [:]
    for member in object.map(Array.init) ?? [] where !member.value.isNull {
      members[member.name.string] = JSONTree(member.value)
    }
    self = .object(members)
  }

  /// The JSON of a value.
  init(of value: some JSONWritable) throws {
    let text = JSONWriter.encode { value.write(to: &$0) }
    self = try JSONParser().parse(text) { JSONTree($0) }
  }

  /// A number as the wire writes it: an integer where it has no fraction.
  static func number(_ value: Double) -> JSONTree { Int64(exactly: value).map { .int($0) } ?? .double(value) }

  subscript(name: String) -> JSONTree {
    get { members[name] ?? .null }
    set {
      var members = members
      members[name] = newValue == .null ? nil : newValue
      self = .object(members)
    }
  }

  /// The members of an object; empty for other values.
  var members: [String: JSONTree] {
    if case .object(let members) = self { members } else { [:] }
  }

  /// The elements of an array; empty for other values.
  var elements: [JSONTree] {
    if case .array(let elements) = self { elements } else { [] }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var int: Int64? {
    if case .int(let number) = self { number } else { nil }
  }

  var double: Double? {
    if case .double(let number) = self { number } else { int.map(Double.init) }
  }

  var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }
}

extension JSONTree: JSONWritable {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .int(let value): writer.int(value)
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .array(let elements): elements.write(to: &writer)
    case .object(let members):
      writer.beginObject()
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        writer.key(string: name)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }
}

extension JSONTree: CustomStringConvertible {
  var description: String { String(decoding: JSONWriter.encode { write(to: &$0) }, as: UTF8.self) }
}

extension JSONTree: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .int(value) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(stringLiteral value: String) { self = .string(value) }
  init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONTree)...) {
    self = .object(Dictionary(elements.filter { $0.1 != .null }, uniquingKeysWith: { $1 }))
  }
}
