// A user or group that the configuration names.

/// A user or group that the configuration names, and where it does. Two are equal when their names are.
public struct AccountName: Equatable, Sendable, ExpressibleByStringLiteral {
  /// The name or the number; for a group, where users can stand, too, with `@` before it.
  public var name: String
  /// Where it is named; `nil` for a default.
  public var place: SettingPlace?

  /// A name and where it stands.
  public init(_ name: String, at place: SettingPlace? = nil) {
    self.name = name
    self.place = place
  }

  /// A name that stands nowhere.
  public init(stringLiteral name: String) { self.init(name) }

  /// Whether the names are the same, wherever they stand.
  public static func == (one: AccountName, other: AccountName) -> Bool { one.name == other.name }
}
