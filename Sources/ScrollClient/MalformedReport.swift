/// Why a text is not the JSON form of a state or a transition.
public enum MalformedReport: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is not JSON.
  case notJSON(reason: String)
  /// The member of this name is missing, has the wrong type, or is out of its range.
  case member(String)

  /// The error as a message.
  public var description: String {
    switch self {
    case .notJSON(let reason): reason
    case .member(let name): Self.text(about: name)
    }
  }

  static func text(about member: String) -> String { "“\(member)” is missing, or not a value that a daemon sends" }
}
