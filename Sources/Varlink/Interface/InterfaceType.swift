// The types of the interface language.

/// A type as an interface text writes it.
public indirect enum InterfaceType: Equatable, Sendable {
  case bool
  case int
  case float
  case string
  /// Any JSON object.
  case object
  /// Any JSON value.
  case any
  /// `?T`
  case optional(InterfaceType)
  /// `[]T`
  case array(InterfaceType)
  /// `[string]T`
  case map(InterfaceType)
  /// `(a: int, b: string)`
  case structure([InterfaceField])
  /// `(a, b, c)`
  case enumeration([String])
  /// A type of the same interface, by its name.
  case named(String)
}
