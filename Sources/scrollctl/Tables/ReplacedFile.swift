import Platform

/// A file that appears under its name only when it is complete: it is written to a temporary file beside it, synced, and renamed.
final class ReplacedFile {
  /// The path of the temporary file.
  let temporary: String

  private let path: String
  private let replaces: Bool
  private var isDone = false

  /// Creates an empty temporary file.
  ///
  /// - Parameter replaces: Whether an existing file may be replaced.
  /// - Throws: ``Failure`` when the file exists and may not be replaced.
  init(_ path: String, replaces: Bool) throws {
    self.path = path
    self.replaces = replaces
    temporary = "\(path).\(CurrentProcess.id).tmp"
    if path.isEmpty { throw Failure("the name of the file to write is empty") }
    if let kind = (try? FileStatus(unresolved: path))?.kind {
      if kind == .directory { throw Failure("\(path) is a directory") }
      // A rename would put a file in the place of a device, a pipe or a link.
      if kind != .regular { throw Failure("\(path) is not a regular file") }
    }
    try Self.refuse(path, unless: replaces)
    _ = try SystemError.wrapping("create", path) { [temporary] () throws(Errno) in
      try FileDescriptor(opening: temporary, [.writeOnly, .create, .exclusive], permissions: 0o666)
    }
  }

  deinit { discard() }

  /// Adds to the temporary file's content.
  func append(_ bytes: [UInt8]) throws {
    let file = try SystemError.wrapping("write", path) { () throws(Errno) in
      try FileDescriptor(opening: temporary, [.writeOnly, .append])
    }
    let written = bytes.withUnsafeBytes { bytes in Result { () throws(Errno) in try file.borrowed.write(bytes) } }
    try SystemError.wrapping("write", path) { () throws(Errno) in try written.get() }
  }

  /// Gives the temporary file its name.
  ///
  /// - Parameter isDurable: Whether to wait until it is on the disk, which takes too long for thousands of files.
  func commit(isDurable: Bool = true) throws {
    try Self.refuse(path, unless: replaces)
    if isDurable { try FileSync.sync(temporary, as: path) }
    try SystemError.wrapping("create", path) { () throws(Errno) in try Files.rename(temporary, to: path) }
    isDone = true
    if isDurable { try FileSync.syncDirectory(of: path) }
  }

  /// Removes the temporary file, if it has not got its name.
  func discard() {
    if isDone { return }
    isDone = true
    // The original error is more useful than one from cleaning up.
    try? Files.remove(temporary)
  }

  /// Throws if a file to be written is one that is read.
  static func refuse(_ path: String, amongInputs inputs: [String]) throws {
    guard let own = try? FileStatus(path) else { return }
    for input in inputs {
      guard let other = try? FileStatus(input), (other.device, other.inode) == (own.device, own.inode) else { continue }
      throw Failure(
        "\(path) is an input: it would be replaced by the output", hint: "Choose another name for the output.")
    }
  }

  /// Throws if something exists under a path and may not be replaced.
  static func refuse(_ path: String, unless replaces: Bool) throws {
    if !replaces, (try? FileStatus(unresolved: path)) != nil {
      throw Failure("\(path) exists already", hint: "Use --force to replace it, or choose another name.")
    }
  }
}

/// Makes files durable.
enum FileSync {
  /// Waits until a file or directory is on the disk.
  ///
  /// - Parameter name: Its name in errors; the path if `nil`.
  static func sync(_ path: String, as name: String? = nil) throws(SystemError) {
    let name = name ?? path
    let file = try SystemError.wrapping("open", name) { () throws(Errno) in try FileDescriptor(opening: path, .readOnly)
    }
    try SystemError.wrapping("sync", name) { () throws(Errno) in try file.borrowed.sync() }
  }

  /// Waits until the names in the directory of a path are on the disk.
  static func syncDirectory(of path: String) throws(SystemError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    try sync(parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/"))
  }
}
