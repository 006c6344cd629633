// A file system in memory, for logs that live as long as one input.

import ScrollLog

/// A file system in memory. Unchecked: a fuzz target has one thread.
final class MemoryFileSystem: FileSystem, @unchecked Sendable {
  private final class Content {
    var bytes: [UInt8] = []
  }

  private final class OpenFile: File, @unchecked Sendable {
    let path: String
    private let content: Content

    init(_ path: String, _ content: Content) {
      self.path = path
      self.content = content
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      guard offset >= 0 else { throw FileError(.read, path: path, code: .inputOutput) }
      let rest = content.bytes.dropFirst(Int(min(offset, Int64(content.bytes.count)))).prefix(buffer.count)
      buffer.copyBytes(from: rest)
      return rest.count
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
      let end = Int(offset) + buffer.count
      if content.bytes.count < end { content.bytes += [UInt8](repeating: 0, count: end - content.bytes.count) }
      content.bytes.replaceSubrange(Int(offset)..<end, with: buffer)
    }

    func sync() throws(FileError) {}

    func truncate(to size: Int64) throws(FileError) {
      let count = content.bytes.count
      if Int(size) < count {
        content.bytes.removeLast(count - Int(size))
      } else {
        content.bytes += [UInt8](repeating: 0, count: Int(size) - count)
      }
    }

    func preallocate(from offset: Int64, count: Int64) throws(FileError) -> Bool { false }

    func size() throws(FileError) -> Int64 { Int64(content.bytes.count) }

    func lock() throws(FileError) -> Bool { true }
  }

  private var files: [String: Content] = [:]
  private var directories: Set<String> = []

  /// A file's bytes; `nil` when there is none of that path.
  func bytes(of path: String) -> [UInt8]? { files[path]?.bytes }

  /// Puts a file there.
  func put(_ bytes: [UInt8], at path: String) {
    let content = Content()
    content.bytes = bytes
    files[path] = content
  }

  func openForReading(_ path: String) throws(FileError) -> any File { try openForWriting(path) }

  func openForWriting(_ path: String) throws(FileError) -> any File {
    guard let content = files[path] else { throw FileError(.open, path: path, code: .noSuchFile) }
    return OpenFile(path, content)
  }

  func create(_ path: String) throws(FileError) -> any File {
    guard files[path] == nil else { throw FileError(.create, path: path, code: .exists) }
    put([], at: path)
    return try openForWriting(path)
  }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    files[newPath] = files.removeValue(forKey: path)
  }

  func remove(_ path: String) throws(FileError) { files[path] = nil }

  func makeDirectory(_ path: String) throws(FileError) -> Bool { directories.insert(path).inserted }

  func syncDirectory(_ path: String) throws(FileError) {}

  func list(_ path: String) throws(FileError) -> [String] {
    files.keys.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.count + 1)) }
  }
}
