/// A type of the interface language.
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
  /// A type that the same interface declares.
  case named(String)
}
