import JSON

/// The transitions that a file expects, one JSON object a line, compared with those of a fold.
final class ExpectedTransitions {
  /// The first difference between what was expected and what the fold did.
  struct Difference: JSONWritable {
    /// The file and the line of what was expected.
    var place: String
    /// The place of the event that made the transition; `nil` if there was none.
    var event: String?
    /// The member that differs; `nil` if there is no such transition on one side.
    var member: String?
    /// What was expected, in JSON; `nil` if nothing was.
    var expected: String?
    /// What the fold did, in JSON; `nil` if it did nothing.
    var actual: String?

    var lines: [String] {
      let what =
        member.map { "“\($0)” differs" } ?? (actual == nil ? "a transition is missing" : "a transition too many")
      return ["\(place): \(what)" + (event.map { " at \($0)" } ?? "")]
        + ["  expected  \(expected ?? "no more transitions")", "  folded    \(actual ?? "no more transitions")"]
    }

    func write(to writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("place", place)
      writer.member("event", ifPresent: event)
      writer.member("member", ifPresent: member)
      writer.member("expected", ifPresent: expected)
      writer.member("folded", ifPresent: actual)
      writer.endObject()
    }
  }

  private let lines: LineReader
  private var number = 0
  private let parsers = (expected: JSONParser(), actual: JSONParser())
  private var buffer = ByteBuffer()

  /// Opens a file.
  init(_ path: String) throws { lines = try LineReader(path) }

  private var place: String { "\(lines.name):\(number)" }

  /// Compares a transition with the file's next line.
  ///
  /// - Parameter event: The place of the event that made the transition.
  /// - Returns: The difference, if there is one.
  /// - Throws: ``Failure`` if the line is not a JSON object.
  func take(_ transition: FoldedTransition, at event: String) throws -> Difference? {
    buffer.removeAll()
    buffer.appendJSON { transition.write(to: &$0) }
    let actual = buffer.withUnsafeReadableBytes { Array($0) }
    let text = String(decoding: actual, as: UTF8.self)
    guard let expected = try nextLine() else {
      return Difference(place: "\(lines.name):\(number + 1)", event: event, expected: nil, actual: text)
    }
    do {
      return try parsers.expected.parse(expected) { expected in
        guard let wanted = expected.asObject else {
          throw Failure("\(place) is not a JSON object, as “fold --json” prints")
        }
        return try parsers.actual.parse(actual) { actual in
          guard let member = wanted.first(where: { !Self.has(actual, $0) }) else { return nil }
          return Difference(
            place: place, event: event, member: member.name.string,
            expected: "\(member.name.string) \(Self.text(member.value))",
            actual: "\(member.name.string) \(Self.member(member.name, of: actual).map(Self.text) ?? "is absent")")
        }
      }
    } catch let error as JSONError {
      throw Failure("\(place) is not JSON: \(error)", hint: "“scrollctl fold --json” prints what --expect reads.")
    }
  }

  /// Checks that the file expects no more transitions.
  func end() throws -> Difference? {
    guard let rest = try nextLine() else { return nil }
    return Difference(place: place, expected: String(decoding: rest, as: UTF8.self))
  }

  /// Returns the next line that isn't empty; `nil` at the end.
  private func nextLine() throws -> [UInt8]? {
    while let line = try lines.next({ Array($0) }) {
      number += 1
      if line.contains(where: { $0 > UInt8(ascii: " ") }) { return line }
    }
    return nil
  }

  private static func member(_ name: JSONText, of value: JSONValue) -> JSONValue? {
    value.asObject?.first { $0.name.string == name.string }?.value
  }

  /// Whether a value has a member with the same value, or lacks one that is expected to be null.
  private static func has(_ value: JSONValue, _ expected: JSONObject.Member) -> Bool {
    guard let member = member(expected.name, of: value) else { return expected.value.isNull }
    return isEqual(member, expected.value)
  }

  private static func isEqual(_ one: JSONValue, _ other: JSONValue) -> Bool {
    if let members = other.asObject { return one.isObject && members.allSatisfy { has(one, $0) } }
    if let elements = other.asArray, let actual = one.asArray {
      return elements.count == actual.count && zip(actual, elements).allSatisfy(isEqual)
    }
    if let text = other.asString { return one.asString == text }
    if let integer = other.asInt64, let actual = one.asInt64 { return actual == integer }
    if let number = other.asDouble { return one.asDouble == number }
    if let bool = other.asBool { return one.asBool == bool }
    return one.isNull && other.isNull
  }

  private static func text(_ value: JSONValue) -> String {
    if let elements = value.asArray { return "[" + elements.map(text).joined(separator: ", ") + "]" }
    if let members = value.asObject {
      return "{" + members.map { "\($0.name.string): \(text($0.value))" }.joined(separator: ", ") + "}"
    }
    if let string = value.asString { return string }
    if let integer = value.asInt64 { return "\(integer)" }
    if let number = value.asDouble { return "\(number)" }
    return value.asBool.map { "\($0)" } ?? "null"
  }
}
