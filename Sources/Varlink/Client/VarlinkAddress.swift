import Platform

/// The address of a service on this machine.
public enum VarlinkAddress: Equatable, Sendable, CustomStringConvertible {
  /// `unix:/run/example/socket`
  case path(String)
  /// `unix:@example`: a name in the abstract namespace, here without the `@`.
  case abstract(String)

  /// Parses an address.
  ///
  /// Properties after a semicolon (`;mode=0660`) are for the service that listens, and are ignored.
  ///
  /// - Returns: nil unless the text is the address of a Unix socket.
  public init?(_ text: String) {
    let scheme = "unix:"
    guard text.hasPrefix(scheme) else { return nil }
    let location = String(text.dropFirst(scheme.count).prefix { $0 != ";" })
    if location.hasPrefix("@") {
      self = .abstract(String(location.dropFirst()))
    } else if !location.isEmpty {
      self = .path(location)
    } else {
      return nil
    }
  }

  /// The address as text: `unix:/run/example/socket`.
  public var description: String {
    switch self {
    case .path(let path): "unix:\(path)"
    case .abstract(let name): "unix:@\(name)"
    }
  }
}

extension VarlinkAddress {
  /// Opens a stream socket and connects it to this address.
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
