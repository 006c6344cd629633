import Glibc
import Platform
import ScrollLog

/// A directory for one test, removed with its contents when the last reference goes.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/scrolllog-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
    path = String(cString: made)
  }

  deinit { Self.removeAll(path) }

  private static func removeAll(_ path: String) {
    // A file has no entries, and C's `remove` takes both files and empty directories.
    for name in (try? POSIXFileSystem().list(path)) ?? [] { removeAll(path + "/" + name) }
    remove(path)
  }
}
