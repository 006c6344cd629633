// The socket that clients connect to: handed over by the service manager, or made here.

import CSystemd
import Glibc

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
        "the socket's path \(path) has \(path.utf8.count) bytes: it must have at most \(maximumPathLength)"
      case .notSocket(let path): "\(path) is there and is no socket: remove it, or choose another --socket"
      case .badActivation(let what): "the service manager handed over \(what): it must be one listening Unix socket"
      }
    }
  }

  /// The longest path that fits into a socket's address, in bytes.
  public static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

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
    do { try descriptor.setNonBlocking() } catch { throw .system(error) }
    return ListeningSocket(descriptor, ownedPath: nil)
  }

  /// Makes a socket at a path, with mode 0666. A stale one is replaced, but only when connecting to it is refused.
  ///
  /// - Throws: ``Problem``.
  public static func listen(at path: String) throws(Problem) -> ListeningSocket {
    guard var address = sockaddr_un(path: path) else { throw .pathTooLong(path: path) }
    try makeDirectory(of: path)
    try removeStale(path, &address)
    let descriptor = try streamSocket()
    let bound = address.withAddress { bind(descriptor.rawValue, $0, $1) }
    guard bound == 0 else {
      if errno == EADDRINUSE { throw .inUse(path: path) }
      throw .system(.last("bind", path))
    }
    // Who may do what is for the daemon to say, not for the file's mode.
    guard chmod(path, 0o666) == 0 else { throw .system(.last("change the mode of", path)) }
    guard Glibc.listen(descriptor.rawValue, 4096) == 0 else { throw .system(.last("listen on", path)) }
    return ListeningSocket(descriptor, ownedPath: path)
  }

  /// Stops listening and removes the path that was made here.
  public consuming func stop() {
    if let ownedPath { unlink(ownedPath) }
  }

  private static func streamSocket() throws(Problem) -> FileDescriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(AF_UNIX, type, 0)
    guard number >= 0 else { throw .system(.last("make a socket")) }
    return FileDescriptor(number)
  }

  private static func makeDirectory(of path: String) throws(Problem) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let directory = String(path[..<slash])
    if mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system(.last("make the directory", directory)) }
  }

  private static func removeStale(_ path: String, _ address: inout sockaddr_un) throws(Problem) {
    var status = stat()
    if lstat(path, &status) != 0 {
      if errno == ENOENT { return }
      throw .system(.last("look at", path))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notSocket(path: path) }
    let probe = try streamSocket()
    let connected = address.withAddress { connect(probe.rawValue, $0, $1) }
    if connected == 0 || errno != ECONNREFUSED { throw .inUse(path: path) }
    if unlink(path) != 0, errno != ENOENT { throw .system(.last("remove the stale socket", path)) }
  }
}

extension sockaddr_un {
  /// The address of a path; `nil` when the path is too long.
  init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count <= ListeningSocket.maximumPathLength, !bytes.isEmpty, !bytes.contains(0) else { return nil }
    withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Lends the address to a system call.
  mutating func withAddress<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: &self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
