// Reading whole files, without Foundation.

import Glibc

/// Whole files and directories, read without Foundation.
public enum TextFile {
  /// Reads a file, or standard input for `-`.
  ///
  /// - Throws: ``SystemError`` when it can't be opened or read.
  public static func read(_ path: String) throws(SystemError) -> [UInt8] {
    if path == "-" { return try read(descriptor: 0, path) }
    let file = retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw .last("open", path) }
    let descriptor = FileDescriptor(file)
    return try read(descriptor: descriptor.rawValue, path)
  }

  /// Reads a regular file, or the null device as an empty one, and never waits for anybody as a FIFO would have it.
  ///
  /// - Returns: Its bytes; `nil` when something else stands there.
  /// - Throws: ``SystemError`` when it can't be opened or read.
  static func readRegular(_ path: String) throws(SystemError) -> [UInt8]? {
    let file = retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    // What open(2) says of a socket.
    if file < 0, errno == ENXIO { return nil }
    guard file >= 0 else { throw .last("open", path) }
    let descriptor = FileDescriptor(file)
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw .last("look at", path) }
    var null = stat()
    let isNull = status.st_mode & S_IFMT == S_IFCHR && stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev
    guard isNull || status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try read(descriptor: descriptor.rawValue, path)
  }

  private static func read(descriptor: Int32, _ path: String) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = chunk.withUnsafeMutableBytes { buffer in
        retryingInterrupts { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
      }
      if count < 0 { throw .last("read", path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// The names in a directory, sorted by their bytes; none when the directory doesn't exist.
  ///
  /// - Throws: ``SystemError`` when it exists and can't be read.
  public static func names(inDirectory path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw .last("open", path)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw .last("read", path) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
