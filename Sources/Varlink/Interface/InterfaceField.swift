// One field of a structure of the interface language.

/// A field: a parameter of a method, of its reply or of an error, or a member of a structure.
public struct InterfaceField: Equatable, Sendable {
  public let name: String
  public let type: InterfaceType

  public init(name: String, type: InterfaceType) {
    self.name = name
    self.type = type
  }

  public var isOptional: Bool {
    if case .optional = type { true } else { false }
  }
}
