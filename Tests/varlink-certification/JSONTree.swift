import JSON

/// A copy of a JSON value, which outlives its parser.
///
/// An integer equals a float of the same value, and a null member equals a missing one.
enum JSONTree: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(_ value: JSONValue) {
    if let bool = value.asBool {
      self = .bool(bool)
    } else if let number = value.asDouble {
      self = .number(number)
    } else if let string = value.asString {
      self = .string(string)
    } else if let array = value.asArray {
      self = .array(array.map(JSONTree.init))
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

  /// Parses a JSON text.
  init(text: String) throws {
    self = try JSONParser().parse(Array(text.utf8)) { JSONTree($0) }
  }

  /// The members of an object; empty for any other value.
  var members: [String: JSONTree] {
    if case .object(let members) = self { members } else { [:] }
  }
}

extension JSONTree: JSONWritable {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .array(let elements): elements.write(to: &writer)
    case .object(let members):
      writer.beginObject()
      for (name, value) in members {
        writer.key(string: name)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }
}

extension JSONTree: CustomStringConvertible {
  var description: String {
    String(decoding: JSONWriter.encode { write(to: &$0) }, as: UTF8.self)
  }
}
