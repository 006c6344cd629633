/// An error in a JSON text.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Reason: Equatable, Sendable {
    /// The text is empty or only white space.
    case empty
    case syntax
    case invalidUTF8
    /// An invalid escape, a lone surrogate or an unescaped control character.
    case invalidString
    case invalidNumber
    /// Nested deeper than `JSONParser.maximumDepth`.
    case tooDeep
    case duplicateMember
    /// Something other than white space follows the value.
    case trailingContent
    /// Longer than `JSONParser.maximumLength`.
    case tooLong
    case outOfMemory
    /// The text ends inside an object, an array or a string.
    case unterminated
    /// An object has more members than `JSONParser.maximumMembers`.
    case tooManyMembers
    /// An array has more elements than `JSONParser.maximumElements`.
    case tooManyElements
    /// More values and keys than `JSONParser.maximumValues`.
    case tooManyValues
    /// A member's name is longer than `JSONParser.maximumNameLength`.
    case nameTooLong
  }

  /// The kind of the error.
  public let reason: Reason
  /// The offset of the error, in bytes from the start of the text, if it is known.
  public let offset: Int?
  /// The name of the member that has the error, if it is known.
  public let member: String?

  /// Creates an error, with its place as far as it is known.
  public init(_ reason: Reason, offset: Int? = nil, member: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.member = member
  }

  /// A message without the place: `duplicate member "time"`.
  public var explanation: String {
    switch reason {
    case .empty: "empty text"
    case .syntax: "invalid JSON" + inMember
    case .invalidUTF8: "invalid UTF-8"
    case .invalidString: "invalid string" + inMember
    case .invalidNumber: "invalid number" + inMember
    case .tooDeep: "nested more than \(JSONParser.maximumDepth) levels deep" + inMember
    case .duplicateMember: "duplicate member" + (member.map { " \"\($0)\"" } ?? "")
    case .trailingContent: "unexpected text after the value"
    case .tooLong: "longer than \(JSONParser.maximumLength) bytes"
    case .outOfMemory: "out of memory"
    case .unterminated: "missing closing bracket or quote"
    case .tooManyMembers: "an object with more than \(JSONParser.maximumMembers) members" + inMember
    case .tooManyElements: "an array with more than \(JSONParser.maximumElements) elements" + inMember
    case .tooManyValues: "more than \(JSONParser.maximumValues) values and keys"
    case .nameTooLong: "a member name of more than \(JSONParser.maximumNameLength) bytes" + inMember
    }
  }

  /// A message with the place, in bytes counted from 1.
  public var description: String {
    guard let offset else { return explanation }
    return "byte \(offset + 1): \(explanation)"
  }

  private var inMember: String {
    member.map { " in \"\($0)\"" } ?? ""
  }
}
