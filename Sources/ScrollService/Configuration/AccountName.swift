/// A user or group named in the configuration. Two account names are equal if their names are, regardless of their places.
public struct AccountName: Equatable, Sendable, ExpressibleByStringLiteral {
  /// The name or the numeric id. Where users are allowed too, the name of a group has the prefix `@`.
  public var name: String
  /// Where the configuration names it; `nil` for a default.
  public var place: SettingPlace?

  /// Creates an account name found at a place.
  public init(_ name: String, at place: SettingPlace? = nil) {
    self.name = name
    self.place = place
  }

  /// Creates an account name without a place.
  public init(stringLiteral name: String) { self.init(name) }

  /// Compares the names, and ignores the places.
  public static func == (one: AccountName, other: AccountName) -> Bool { one.name == other.name }
}
