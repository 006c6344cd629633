import Platform

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

extension VarlinkAddress {
  /// Opens a stream socket that is connected to this address.
  func connectedSocket() throws(SocketError) -> FileDescriptor {
    do throws(Errno) {
      let socket = try FileDescriptor(socket: .stream)
      try socket.borrowed.connect(to: unixAddress)
      return socket
    } catch {
      if error == .nameTooLong { throw .addressTooLong(address: description) }
      throw .failed(doing: "connecting to", address: description, error)
    }
  }

  private var unixAddress: UnixAddress {
    switch self {
    case .path(let path): .path(path)
    case .abstract(let name): .abstract(name)
    }
  }
}
