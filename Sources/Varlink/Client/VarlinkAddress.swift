// Where a Varlink service listens.

/// The address of a service on this machine.
public enum VarlinkAddress: Equatable, Sendable, CustomStringConvertible {
  /// `unix:/run/example/socket`
  case path(String)
  /// `unix:@example`: a name in the abstract namespace, given here without the `@`.
  case abstract(String)

  /// Reads an address; properties behind a semicolon (`;mode=0660`) are for the side that listens, and passed over.
  ///
  /// - Returns: nil for anything but a Unix socket's address.
  public init?(_ text: String) {
    let scheme = "unix:"
    guard text.hasPrefix(scheme) else { return nil }
    let place = String(text.dropFirst(scheme.count).prefix { $0 != ";" })
    if place.hasPrefix("@") {
      self = .abstract(String(place.dropFirst()))
    } else if !place.isEmpty {
      self = .path(place)
    } else {
      return nil
    }
  }

  /// The address as it is written: `unix:/run/example/socket`.
  public var description: String {
    switch self {
    case .path(let path): "unix:\(path)"
    case .abstract(let name): "unix:@\(name)"
    }
  }
}
