import CSystemd
import Platform

/// The socket that clients connect to, either passed by the service manager or made by the daemon.
public struct ListeningSocket: ~Copyable {
  /// The reason why the daemon can't listen.
  public enum Problem: Error, CustomStringConvertible {
    /// A system call failed.
    case system(SystemError)
    /// Another daemon listens on the path.
    case inUse(path: String)
    /// The path is too long for a socket's address.
    case pathTooLong(path: String)
    /// The path exists and is not a socket.
    case notSocket(path: String)
    /// The service manager passed something other than one listening stream socket.
    case badActivation(String)

    /// The message.
    public var description: String {
      switch self {
      case .system(let error): error.description
      case .inUse(let path): "another scrolld listens on \(path): stop it, or choose another --socket"
      case .pathTooLong(let path):
        "the socket's path \(path) has \(path.utf8.count) bytes: it must have at most \(UnixAddress.maximumPathLength)"
      case .notSocket(let path): "\(path) exists and is not a socket: remove it, or choose another --socket"
      case .badActivation(let what): "the service manager passed \(what), not one listening Unix socket"
      }
    }
  }

  private let descriptor: FileDescriptor
  /// The path that is removed at the end; `nil` for a socket of the service manager.
  private let ownedPath: String?

  /// The place of the socket, for messages.
  public var place: String { ownedPath ?? "the socket of the service manager" }

  /// The descriptor's number.
  public var rawValue: Int32 { descriptor.rawValue }

  private init(_ descriptor: consuming FileDescriptor, ownedPath: String?) {
    self.descriptor = descriptor
    self.ownedPath = ownedPath
  }

  /// Returns the socket that the service manager passed, or else makes one.
  ///
  /// - Parameter passed: The descriptors that the service manager passed to listen on.
  /// - Throws: ``Problem``; ``Places/Unknown`` when no path is known; ``TrustedDirectory/Problem`` when others could
  ///   replace the socket.
  static func take(_ options: DaemonOptions, passed: [Int32]) throws -> ListeningSocket {
    if let socket = try activated(passed) { return socket }
    let path = try Places.socket(options)
    try makeDirectory(of: path)
    try TrustedDirectory.check(directory(of: path), for: "the socket", allowsSticky: true)
    return try listen(at: path)
  }

  /// Returns the socket that the service manager passed; `nil` if it passed none.
  ///
  /// - Throws: ``Problem/badActivation(_:)``.
  private static func activated(_ passed: [Int32]) throws(Problem) -> ListeningSocket? {
    guard let first = passed.first else { return nil }
    guard passed.count == 1 else { throw .badActivation("\(passed.count) descriptors") }
    guard sd_is_socket_unix(first, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw .badActivation("a descriptor of another kind")
    }
    let descriptor = FileDescriptor(first)
    do { try descriptor.borrowed.setNonBlocking() } catch {
      throw .system(SystemError("change the flags of", "a descriptor", error))
    }
    return ListeningSocket(descriptor, ownedPath: nil)
  }

  /// Makes a socket at a path, with mode 0666. It replaces a stale socket, but only if a connection to that is refused.
  ///
  /// - Throws: ``Problem``.
  public static func listen(at path: String) throws(Problem) -> ListeningSocket {
    let address = UnixAddress.path(path)
    guard path.utf8.count <= UnixAddress.maximumPathLength else { throw .pathTooLong(path: path) }
    try makeDirectory(of: path)
    try removeStale(path)
    let descriptor = try streamSocket()
    do { try descriptor.borrowed.bind(to: address) } catch {
      if error == .addressInUse { throw .inUse(path: path) }
      throw .system(SystemError("bind", path, error))
    }
    // The daemon decides who may do what, not the file's mode.
    do { try Files.setPermissions(0o666, of: path) } catch {
      throw .system(SystemError("change the mode of", path, error))
    }
    do { try descriptor.borrowed.listen(backlog: 4096) } catch {
      throw .system(SystemError("listen on", path, error))
    }
    return ListeningSocket(descriptor, ownedPath: path)
  }

  /// Stops listening, and removes the path if the daemon made it.
  public consuming func stop() {
    if let ownedPath { try? Files.remove(ownedPath) }
  }

  private static func streamSocket() throws(Problem) -> FileDescriptor {
    do { return try FileDescriptor(socket: .stream, isNonBlocking: true) } catch {
      throw .system(SystemError("make a socket", error))
    }
  }

  private static func makeDirectory(of path: String) throws(Problem) {
    do { try Places.makeDirectories(directory(of: path), permissions: 0o755) } catch { throw .system(error) }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func removeStale(_ path: String) throws(Problem) {
    let kind: FileKind
    do { kind = try FileStatus(unresolved: path).kind } catch {
      if error == .noSuchFile { return }
      throw .system(SystemError("look at", path, error))
    }
    guard kind == .socket else { throw .notSocket(path: path) }
    let probe = try streamSocket()
    do throws(Errno) {
      try probe.borrowed.connect(to: .path(path))
      throw .addressInUse
    } catch {
      if error != .connectionRefused { throw .inUse(path: path) }
    }
    do { try Files.remove(path) } catch {
      if error != .noSuchFile { throw .system(SystemError("remove the stale socket", path, error)) }
    }
  }
}
