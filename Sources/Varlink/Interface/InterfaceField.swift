// One field of a structure of the interface language.

/// A field: a parameter of a method, of its reply or of an error, or a member of a structure.
public struct InterfaceField: Equatable, Sendable {
  /// The field's name.
  public let name: String
  /// The field's type; `.optional` when the field may be missing.
  public let type: InterfaceType

  /// A field with a name and a type.
  public init(name: String, type: InterfaceType) {
    self.name = name
    self.type = type
  }

  /// Whether the field may be missing.
  public var isOptional: Bool {
    if case .optional = type { true } else { false }
  }
}
