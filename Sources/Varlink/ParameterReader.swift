import JSON

/// A reader of the parameters of a call or a reply, by name.
///
///     var p = call.parameters()
///     let client = try p.string("client")
///     let limit = try p.optionalInt("limit")
///     try p.finish()
///
/// Each method throws `org.varlink.service.InvalidParameter` with the parameter's name if the parameter is missing or
/// has the wrong type. `finish` throws it for a parameter that was never read. For optional parameters, null means
/// absent. An integer is accepted as a float, but a float is never accepted as an integer. You can read at most 64
/// parameters.
public struct ParameterReader {
  /// The parameters; nil for a message without parameters.
  private let object: JSONObject?
  /// A bit for each member that was read, by its index in the object.
  private var readMembers: UInt64 = 0

  init(_ parameters: JSONObject?) {
    object = parameters
  }

  // MARK: Any type

  /// Reads a value of any type, including null.
  public mutating func value(_ name: StaticString) throws(VarlinkError) -> JSONValue {
    guard let value = find(name) else { throw .invalidParameter("\(name)") }
    return value
  }

  /// Reads a value of any type; nil when it is missing or null.
  public mutating func optionalValue(_ name: StaticString) -> JSONValue? {
    guard let value = find(name), !value.isNull else { return nil }
    return value
  }

  // MARK: Strings

  /// Reads a string and copies it.
  public mutating func string(_ name: StaticString) throws(VarlinkError) -> String {
    try text(name).string
  }

  /// Reads a string and copies it; nil when it is missing or null.
  public mutating func optionalString(_ name: StaticString) throws(VarlinkError) -> String? {
    try optionalText(name)?.string
  }

  /// Reads a string without copying it.
  public mutating func text(_ name: StaticString) throws(VarlinkError) -> JSONText {
    try required(name, optionalText(name))
  }

  /// Reads a string without copying it; nil when it is missing or null.
  public mutating func optionalText(_ name: StaticString) throws(VarlinkError) -> JSONText? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asText)
  }

  /// Reads an array of strings and copies it; nil when it is missing or null.
  public mutating func optionalStringArray(_ name: StaticString) throws(VarlinkError) -> [String]? {
    guard let value = optionalValue(name) else { return nil }
    var strings: [String] = []
    for element in try required(name, value.asArray) {
      strings.append(try required(name, element.asString))
    }
    return strings
  }

  /// Reads an array of strings and copies it.
  public mutating func stringArray(_ name: StaticString) throws(VarlinkError) -> [String] {
    try required(name, optionalStringArray(name))
  }

  // MARK: Numbers and Booleans

  /// Reads a 64-bit integer.
  public mutating func int(_ name: StaticString) throws(VarlinkError) -> Int64 {
    try required(name, optionalInt(name))
  }

  /// Reads a 64-bit integer; nil when it is missing or null.
  public mutating func optionalInt(_ name: StaticString) throws(VarlinkError) -> Int64? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asInt64)
  }

  /// Reads a finite number.
  public mutating func double(_ name: StaticString) throws(VarlinkError) -> Double {
    try required(name, optionalDouble(name))
  }

  /// Reads a finite number; nil when it is missing or null.
  public mutating func optionalDouble(_ name: StaticString) throws(VarlinkError) -> Double? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asDouble)
  }

  /// Reads a Boolean.
  public mutating func bool(_ name: StaticString) throws(VarlinkError) -> Bool {
    try required(name, optionalBool(name))
  }

  /// Reads a Boolean; nil when it is missing or null.
  public mutating func optionalBool(_ name: StaticString) throws(VarlinkError) -> Bool? {
    guard let value = optionalValue(name) else { return nil }
    return try required(name, value.asBool)
  }

  // MARK: Containers

  /// Reads an object with any members.
  public mutating func object(_ name: StaticString) throws(VarlinkError) -> JSONObject {
    try required(name, value(name).asObject)
  }

  /// Reads an array with any elements.
  public mutating func array(_ name: StaticString) throws(VarlinkError) -> JSONArray {
    try required(name, value(name).asArray)
  }

  // MARK: Unread parameters

  /// Throws if a parameter was never read, with the name of the first such parameter.
  public func finish() throws(VarlinkError) {
    guard let object, object.count > 64 || readMembers.nonzeroBitCount < object.count else { return }
    var index = 0
    for member in object {
      guard index < 64 && readMembers & (1 << UInt64(index)) != 0 else { throw .invalidParameter(member.name.string) }
      index += 1
    }
  }

  private mutating func find(_ name: StaticString) -> JSONValue? {
    guard let object else { return nil }
    var index = 0
    for member in object {
      if member.name == name {
        if index < 64 { readMembers |= 1 << UInt64(index) }
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
