/// A field of a structure: a parameter of a method, a reply or an error, or a member of a type.
public struct InterfaceField: Equatable, Sendable {
  /// The name of the field.
  public let name: String
  /// The type of the field; `.optional` when the field may be missing.
  public let type: InterfaceType

  /// Creates a field with a name and a type.
  public init(name: String, type: InterfaceType) {
    self.name = name
    self.type = type
  }

  /// Whether the field may be missing.
  public var isOptional: Bool {
    if case .optional = type { true } else { false }
  }
}
