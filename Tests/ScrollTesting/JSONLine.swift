// One line of NDJSON as the tests read it.

import Foundation

/// One line of NDJSON: an object whose fields are read by type.
public struct JSONLine {
  private let object: [String: Any]

  /// Parses a line.
  ///
  /// - Throws: what Foundation says of the JSON, or ``Recording/Malformed`` for a line that holds no object.
  public init(_ line: some StringProtocol) throws {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw Recording.Malformed(line: String(line))
    }
    self.object = object
  }

  /// The names of the fields that are there.
  public var names: Set<String> { Set(object.keys) }

  /// A field that is a number; `nil` when it is absent or something else.
  public func number(_ name: String) -> Double? {
    guard let value = object[name] as? NSNumber, isNumber(value) else { return nil }
    return value.doubleValue
  }

  /// A field that is a whole number; `nil` when it is absent or something else.
  public func integer(_ name: String) -> Int64? { number(name).flatMap { Int64(exactly: $0) } }

  /// A field that is true or false; `nil` when it is absent or something else.
  public func flag(_ name: String) -> Bool? {
    guard let value = object[name] as? NSNumber, !isNumber(value) else { return nil }
    return value.boolValue
  }

  /// A field that is text; `nil` when it is absent or something else.
  public func text(_ name: String) -> String? { object[name] as? String }

  /// A field that is a list of texts; `nil` when it is absent or something else.
  public func texts(_ name: String) -> [String]? { object[name] as? [String] }

  /// Tells numbers from truth values, which Foundation keeps in one class.
  private func isNumber(_ value: NSNumber) -> Bool { String(cString: value.objCType) != "c" }
}
