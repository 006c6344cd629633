// Takes the parameters of a call or a reply apart, and refuses what nobody asked for.

import JSON

/// Reads the members of a parameters object by name.
///
///     var p = call.parameters()
///     let client = try p.string("client")
///     let limit = try p.optionalInt("limit")
///     try p.finish()
///
/// Everything throws `org.varlink.service.InvalidParameter` with the parameter's name: a member that is missing, of the
/// wrong type, or, at `finish`, not asked for. For optional ones null means absent. Integers are accepted where a float
/// is asked for, floats never where an integer is. At most 64 parameters can be asked for.
public struct ParameterReader {
  /// Nil when there are no parameters.
  private let object: JSONObject?
  /// Which members were asked for, by their place in the object.
  private var asked: UInt64 = 0

  init(_ parameters: JSONObject?) {
    object = parameters
  }

  // MARK: Any type

  /// The member as it is, whatever its type; throws when it is missing. Null counts as a value here.
  public mutating func value(_ name: StaticString) throws(VarlinkError) -> JSONValue {
    guard let value = find(name) else { throw .invalidParameter("\(name)") }
    return value
  }

  /// The member as it is, whatever its type; nil when it is missing or null.
  public mutating func optionalValue(_ name: StaticString) -> JSONValue? {
    guard let value = find(name), !value.isNull else { return nil }
    return value
  }

  // MARK: Strings

  /// A string, copied.
  public mutating func string(_ name: StaticString) throws(VarlinkError) -> String {
    try text(name).string
  }

  /// A string, copied; nil when it is missing or null.
  public mutating func optionalString(_ name: StaticString) throws(VarlinkError) -> String? {
    try optionalText(name)?.string
  }

  /// A string that is not copied.
  public mutating func text(_ name: StaticString) throws(VarlinkError) -> JSONText {
    try required(name, optionalText(name))
  }

  /// A string that is not copied.
  public mutating func optionalText(_ name: StaticString) throws(VarlinkError) -> JSONText? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asText)
  }

  /// An array of strings, copied; nil when it is missing or null.
  public mutating func optionalStringArray(_ name: StaticString) throws(VarlinkError) -> [String]? {
    guard let value = optionalValue(name) else { return nil }
    var strings: [String] = []
    for element in try required(name, value.asArray) {
      strings.append(try required(name, element.asString))
    }
    return strings
  }

  /// An array of strings, copied.
  public mutating func stringArray(_ name: StaticString) throws(VarlinkError) -> [String] {
    try required(name, optionalStringArray(name))
  }

  // MARK: Numbers and truth

  /// A 64-bit integer.
  public mutating func int(_ name: StaticString) throws(VarlinkError) -> Int64 {
    try required(name, optionalInt(name))
  }

  /// A 64-bit integer; nil when it is missing or null.
  public mutating func optionalInt(_ name: StaticString) throws(VarlinkError) -> Int64? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asInt64)
  }

  /// A number, finite.
  public mutating func double(_ name: StaticString) throws(VarlinkError) -> Double {
    try required(name, optionalDouble(name))
  }

  /// A number, finite; nil when it is missing or null.
  public mutating func optionalDouble(_ name: StaticString) throws(VarlinkError) -> Double? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asDouble)
  }

  /// A truth value.
  public mutating func bool(_ name: StaticString) throws(VarlinkError) -> Bool {
    try required(name, optionalBool(name))
  }

  /// A truth value; nil when it is missing or null.
  public mutating func optionalBool(_ name: StaticString) throws(VarlinkError) -> Bool? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asBool)
  }

  // MARK: Containers

  /// An object of any members.
  public mutating func object(_ name: StaticString) throws(VarlinkError) -> JSONObject {
    try required(name, value(name).asObject)
  }

  /// An array of any elements.
  public mutating func array(_ name: StaticString) throws(VarlinkError) -> JSONArray {
    try required(name, value(name).asArray)
  }

  // MARK: The end

  /// Throws when there are members that nobody asked for, with the first one's name.
  public func finish() throws(VarlinkError) {
    guard let object, object.count > 64 || asked.nonzeroBitCount < object.count else { return }
    var index = 0
    for member in object {
      guard index < 64 && asked & (1 << UInt64(index)) != 0 else { throw .invalidParameter(member.name.string) }
      index += 1
    }
  }

  private mutating func find(_ name: StaticString) -> JSONValue? {
    guard let object else { return nil }
    var index = 0
    for member in object {
      if member.name == name {
        if index < 64 { asked |= 1 << UInt64(index) }
        return member.value
      }
      index += 1
    }
    return nil
  }

  private func required<Value>(_ name: StaticString, _ value: Value?) throws(VarlinkError) -> Value {
    guard let value else { throw .invalidParameter("\(name)") }
    return value
  }
}
