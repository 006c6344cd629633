import Foundation

/// A line of NDJSON: an object whose fields are read by type.
public struct JSONLine {
  private let object: [String: Any]

  /// Parses a line.
  ///
  /// - Throws: Foundation's error for bad JSON, or ``Recording/Malformed`` for a line that is not an object.
  public init(_ line: some StringProtocol) throws {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw Recording.Malformed(line: String(line))
    }
    self.object = object
  }

  /// The names of the present fields.
  public var names: Set<String> { Set(object.keys) }

  /// A field that is a number; `nil` if it is absent or something else.
  public func number(_ name: String) -> Double? {
    guard let value = object[name] as? NSNumber, isNumber(value) else { return nil }
    return value.doubleValue
  }

  /// A field that is a whole number; `nil` if it is absent or something else.
  public func integer(_ name: String) -> Int64? { number(name).flatMap { Int64(exactly: $0) } }

  /// A field that is true or false; `nil` if it is absent or something else.
  public func flag(_ name: String) -> Bool? {
    guard let value = object[name] as? NSNumber, !isNumber(value) else { return nil }
    return value.boolValue
  }

  /// A field that is text; `nil` if it is absent or something else.
  public func text(_ name: String) -> String? { object[name] as? String }

  /// A field that is a list of texts; `nil` if it is absent or something else.
  public func texts(_ name: String) -> [String]? { object[name] as? [String] }

  /// Whether a value is a number and not a Boolean. Foundation uses one class for both.
  private func isNumber(_ value: NSNumber) -> Bool { String(cString: value.objCType) != "c" }
}
