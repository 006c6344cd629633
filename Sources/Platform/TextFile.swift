/// Whole files, read without Foundation.
public enum TextFile {
  /// Reads a file, or standard input for `-`.
  public static func read(_ path: String) throws(SystemError) -> [UInt8] {
    if path == "-" { return try read(.standardInput, path) }
    let file = try SystemError.wrapping("open", path) { () throws(Errno) in
      try FileDescriptor(opening: path, .readOnly)
    }
    return try read(file.borrowed, path)
  }

  /// Returns the first line of a text that is not UTF-8, 1 for the first; `nil` if all are.
  public static func firstLineOutsideUTF8(_ bytes: [UInt8]) -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }

  /// Reads a regular file, or the null device as an empty one. Never waits for another process, as a FIFO would.
  ///
  /// - Returns: The bytes; `nil` when the path is not a regular file.
  public static func readRegular(_ path: String) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      let file = try SystemError.wrapping("open", path) { () throws(Errno) in
        try FileDescriptor(opening: path, [.readOnly, .nonBlocking])
      }
      return try readRegular(file.borrowed, path)
    } catch {
      // What open(2) answers for a socket.
      if error.errno == .noSuchDevice { return nil }
      throw error
    }
  }

  private static func readRegular(_ file: BorrowedDescriptor, _ path: String) throws(SystemError) -> [UInt8]? {
    let status = try SystemError.wrapping("examine", path) { () throws(Errno) in try FileStatus(file) }
    let isNull = status.kind == .device && status.ownDevice == (try? FileStatus("/dev/null"))?.ownDevice
    guard isNull || status.kind == .regular else { return nil }
    return try read(file, path)
  }

  private static func read(_ descriptor: BorrowedDescriptor, _ path: String) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
    defer { chunk.deallocate() }
    while true {
      let count = try SystemError.wrapping("read", path) { () throws(Errno) in try descriptor.read(into: chunk) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}
