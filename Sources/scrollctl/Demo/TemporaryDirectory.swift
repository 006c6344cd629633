// A directory that is gone afterwards.

import Glibc
import ScrollService

/// A directory under `$TMPDIR` or `/tmp`, to be removed with all that is in it.
struct TemporaryDirectory {
  let path: String

  /// Makes a directory whose name begins so.
  init(prefix: String) throws(SystemError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) }
    // A socket's path must fit into 107 bytes.
    let usable = parent.flatMap { $0.isEmpty || $0.utf8.count > 60 ? nil : $0 } ?? "/tmp"
    var template = Array("\(usable)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .last("make a directory in", usable) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes it. What can't be removed stays: there is nobody who could do more about it.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        if entry.pointee.d_type == UInt8(DT_DIR) {
          remove("\(path)/\(name)")
        } else {
          unlink("\(path)/\(name)")
        }
      }
      closedir(directory)
    }
    rmdir(path)
  }
}
