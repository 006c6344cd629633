// Why what another daemon left can't be taken over.

/// Why what another daemon left can't be taken over.
enum HandOverError: Error, Equatable, CustomStringConvertible {
  /// It ends where more should follow.
  case endsEarly
  /// Something follows its end.
  case goesOn
  /// A value that nothing is known by.
  case badValue(String)
  /// It was written by another version.
  case otherVersion(UInt32)
  /// Its checksum doesn't fit.
  case badChecksum

  /// The text for people.
  var description: String {
    switch self {
    case .endsEarly: "it ends where more should follow"
    case .goesOn: "something follows its end"
    case .badValue(let what): "its \(what) is none that is known"
    case .otherVersion(let version): "it is of version \(version), and this daemon writes \(HandOverTable.version)"
    case .badChecksum: "its checksum doesn't fit"
    }
  }
}
