/// The kind of a JSON value.
public enum JSONKind: Sendable {
  case null
  case bool
  /// An integer from `Int64.min` to `Int64.max`, written without a fraction or an exponent.
  case integer
  /// An integer from `Int64.max + 1` to `UInt64.max`.
  case unsignedInteger
  /// A number written with a fraction or an exponent.
  case double
  /// A valid number that fits neither a 64-bit integer nor a finite double, such as 2^64 or 1e400.
  case numberOutOfRange
  case string
  case object
  case array
}
