// Why a JSON object is no report of the daemon's.

/// Why a JSON object is no state or transition: the member that is missing or of the wrong type.
public struct MalformedReport: Error, Equatable, Sendable, CustomStringConvertible {
  /// The member's name.
  public var member: String

  /// An error of its member.
  public init(member: String) { self.member = member }

  /// The text for people.
  public var description: String { "“\(member)” is missing or not of its type" }
}
