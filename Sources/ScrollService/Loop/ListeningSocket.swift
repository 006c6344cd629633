// The socket that clients connect to: handed over by the service manager, or made here.

import CSystemd
import Platform

/// The socket that clients connect to: handed over by the service manager, or made here.
public struct ListeningSocket: ~Copyable {
  /// Why there is no socket.
  public enum Problem: Error, CustomStringConvertible {
    /// A system call failed.
    case system(SystemError)
    /// Another daemon answers on the path.
    case inUse(path: String)
    /// The path doesn't fit into a socket's address.
    case pathTooLong(path: String)
    /// Something that is no socket stands at the path.
    case notSocket(path: String)
    /// The service manager handed over something else than one listening stream socket.
    case badActivation(String)

    /// The text for people.
    public var description: String {
      switch self {
      case .system(let error): error.description
      case .inUse(let path): "another scrolld answers on \(path): stop it, or choose another --socket"
      case .pathTooLong(let path):
        "the socket's path \(path) has \(path.utf8.count) bytes: it must have at most \(UnixAddress.maximumPathLength)"
      case .notSocket(let path): "\(path) is there and is no socket: remove it, or choose another --socket"
      case .badActivation(let what): "the service manager handed over \(what): it must be one listening Unix socket"
      }
    }
  }

  private let descriptor: FileDescriptor
  /// The path that is removed again in the end; `nil` for a socket that the service manager owns.
  private let ownedPath: String?

  /// Where it is, for people.
  public var place: String { ownedPath ?? "the socket of the service manager" }

  /// The descriptor's number.
  public var rawValue: Int32 { descriptor.rawValue }

  private init(_ descriptor: consuming FileDescriptor, ownedPath: String?) {
    self.descriptor = descriptor
    self.ownedPath = ownedPath
  }

  /// The socket that the service manager handed over, else one made at the place that the options say.
  ///
  /// - Parameter passed: The descriptors that the service manager handed over to listen on.
  /// - Throws: ``Problem``, or ``Places/Unknown`` where there is no place.
  static func take(_ options: DaemonOptions, passed: [Int32]) throws -> ListeningSocket {
    if let socket = try activated(passed) { return socket }
    return try listen(at: Places.socket(options))
  }

  /// The socket that the service manager handed over; `nil` where it handed over nothing.
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

  /// Makes a socket at a path, with mode 0666. A stale one is replaced, but only when connecting to it is refused.
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

  /// Stops listening and removes the path that was made here.
  public consuming func stop() {
    if let ownedPath { try? Files.remove(ownedPath) }
  }

  private static func streamSocket() throws(Problem) -> FileDescriptor {
    do { return try FileDescriptor(socket: .stream, isNonBlocking: true) } catch {
      throw .system(SystemError("make a socket", error))
    }
  }

  private static func makeDirectory(of path: String) throws(Problem) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    do { try Directory.make(directory, permissions: 0o755) } catch {
      throw .system(SystemError("make the directory", directory, error))
    }
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
