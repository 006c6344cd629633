internal import JSON
import ScrollModel
internal import Varlink

/// The members of a reply, or of an object in it. Members that nobody asks for are ignored, so that a newer daemon may send
/// more.
struct ReplyMembers {
  /// A member that is missing or of the wrong type.
  struct Unexpected: Error {
    var name: String
  }

  private let object: JSONObject?

  init(_ object: JSONObject?) { self.object = object }

  /// The greatest number that counts something. One can calculate with such numbers without an overflow, and no daemon
  /// gets there.
  private static let greatestCount: Int64 = 1 << 62

  // Each returns `nil` when the member is absent, null, of another type, or out of its range.

  /// Any integer. Use it only for what nobody calculates with.
  func int(_ name: StaticString) -> Int64? { object?[name]?.asInt64 }

  /// A position, a number, an index or a count.
  func count(_ name: StaticString) -> Int64? {
    guard let count = int(name), (0...Self.greatestCount).contains(count) else { return nil }
    return count
  }

  func double(_ name: StaticString) -> Double? { object?[name]?.asDouble }
  /// A share of a whole, 0 to 1.
  func share(_ name: StaticString) -> Double? { double(name).flatMap { (0...1).contains($0) ? $0 : nil } }
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

  /// Returns a member's value, which must be present.
  func require<Value>(_ name: StaticString, _ value: Value?) throws(Unexpected) -> Value {
    guard let value else { throw Unexpected(name: "\(name)") }
    return value
  }

  /// Returns a member's value, which may be absent but must not have another type.
  func allow<Value>(_ name: StaticString, _ read: (StaticString) -> Value?) throws(Unexpected) -> Value? {
    guard value(name) != nil else { return nil }
    return try require(name, read(name))
  }

  func session(_ name: StaticString) -> SessionID? { string(name).flatMap { SessionID($0) } }

  func time(_ name: StaticString) -> UnixMicroseconds? {
    guard let time = int(name), (-Self.greatestCount...Self.greatestCount).contains(time) else { return nil }
    return UnixMicroseconds(time)
  }

  func user(_ name: StaticString) -> UInt32? { int(name).flatMap { UInt32(exactly: $0) } }
}
