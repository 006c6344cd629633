/// The reason why the next daemon can't read the state that the previous one left.
enum HandOverError: Error, Equatable, CustomStringConvertible {
  /// Bytes are missing at the end.
  case endsEarly
  /// Bytes follow the end.
  case hasTrailingBytes
  /// A field has an unknown value.
  case badValue(String)
  /// The table has another version than the one that this daemon writes.
  case otherVersion(UInt32, expected: UInt32)
  /// The checksum doesn't match.
  case badChecksum

  var description: String {
    switch self {
    case .endsEarly: "the state ends too early"
    case .hasTrailingBytes: "bytes follow the end of the state"
    case .badValue(let what): "the \(what) has an unknown value"
    case .otherVersion(let version, let expected): "the table has version \(version), this daemon needs \(expected)"
    case .badChecksum: "the checksum doesn't match"
    }
  }
}
