// Why a text is no JSON that is read here.

/// Why a text was refused.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What can be wrong with a text.
  public enum Reason: Equatable, Sendable {
    /// Nothing but white space.
    case empty
    case syntax
    case invalidUTF8
    /// A bad escape, a lone surrogate or a bare control character.
    case invalidString
    case invalidNumber
    /// Nested deeper than `JSONParser.maximumDepth`.
    case tooDeep
    case duplicateMember
    /// Something stands behind the value.
    case trailingContent
    /// Longer than `JSONParser.maximumLength`.
    case tooLong
    case outOfMemory
    /// Begins an object, an array or a string and doesn't end with what closes it, as a text that was cut off.
    case unterminated
  }

  /// What is wrong.
  public let reason: Reason
  /// Where it went wrong, in bytes from the start of the text, when that is known.
  public let offset: Int?
  /// The member that was being read, or that came twice, when that is known.
  public let member: String?

  /// An error, with as much of its place as is known.
  public init(_ reason: Reason, offset: Int? = nil, member: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.member = member
  }

  /// What is wrong, without the place: `a member given twice: "time"`.
  public var explanation: String {
    switch reason {
    case .empty: "nothing but white space"
    case .syntax: "no JSON" + inMember
    case .invalidUTF8: "no UTF-8"
    case .invalidString: "a malformed string" + inMember
    case .invalidNumber: "a malformed number" + inMember
    case .tooDeep: "nested deeper than \(JSONParser.maximumDepth)" + inMember
    case .duplicateMember: "a member given twice" + (member.map { ": \"\($0)\"" } ?? "")
    case .trailingContent: "something behind the value"
    case .tooLong: "longer than \(JSONParser.maximumLength) bytes"
    case .outOfMemory: "no memory to read it"
    case .unterminated: "it doesn't end with the bracket or the quote that closes it"
    }
  }

  /// What is wrong and where; bytes are counted from 1.
  public var description: String {
    guard let offset else { return explanation }
    return "byte \(offset + 1): \(explanation)"
  }

  private var inMember: String {
    member.map { " in \"\($0)\"" } ?? ""
  }
}
