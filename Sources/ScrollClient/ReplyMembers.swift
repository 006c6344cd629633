// Takes the members of a reply apart.

import JSON
import ScrollModel

/// Takes the members of a reply, or of an object in it, apart. What nobody asks for is passed over, so that a newer
/// daemon may say more.
struct ReplyMembers {
  /// A member that is missing or of the wrong type.
  struct Unexpected: Error {
    var name: String
  }

  private let object: JSONObject?

  init(_ object: JSONObject?) { self.object = object }

  // Each is `nil` when the member is absent, null, or of another type.

  func int(_ name: StaticString) -> Int64? { object?[name]?.asInt64 }
  func double(_ name: StaticString) -> Double? { object?[name]?.asDouble }
  func bool(_ name: StaticString) -> Bool? { object?[name]?.asBool }
  func string(_ name: StaticString) -> String? { object?[name]?.asString }
  func members(_ name: StaticString) -> ReplyMembers? { object?[name]?.asObject.map { ReplyMembers($0) } }

  func ints(_ name: StaticString) -> [Int64]? {
    object?[name]?.asArray.map { $0.compactMap(\.asInt64) }
  }

  func strings(_ name: StaticString) -> [String]? {
    object?[name]?.asArray.map { $0.compactMap(\.asString) }
  }

  func arrayOfMembers(_ name: StaticString) -> [ReplyMembers]? {
    object?[name]?.asArray.map { $0.map { ReplyMembers($0.asObject) } }
  }

  func value(_ name: StaticString) -> JSONValue? {
    guard let value = object?[name], !value.isNull else { return nil }
    return value
  }

  /// A member that must be there.
  func require<Value>(_ name: StaticString, _ value: Value?) throws(Unexpected) -> Value {
    guard let value else { throw Unexpected(name: "\(name)") }
    return value
  }

  /// A member that may be absent, but must be of its type where it is there.
  func allow<Value>(_ name: StaticString, _ read: (StaticString) -> Value?) throws(Unexpected) -> Value? {
    guard value(name) != nil else { return nil }
    return try require(name, read(name))
  }

  func session(_ name: StaticString) -> SessionID? { string(name).flatMap { SessionID($0) } }

  func user(_ name: StaticString) -> UInt32? { int(name).flatMap { UInt32(exactly: $0) } }
}
