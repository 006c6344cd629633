import Glibc
import ScrollService
import Varlink

/// A temporary directory with a state directory in it.
struct BenchmarkDirectory {
  let path: String

  /// The state directory, which may not exist yet.
  var state: String { path + "/state" }

  /// Creates a directory.
  ///
  /// - Throws: `SystemError`.
  init(in parent: String) throws(SystemError) {
    var template = Array((parent + "/scrollbench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("make a directory in", parent, code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the directory with the log and these files.
  ///
  /// - Parameter files: The names of files other than the log's.
  func remove(_ files: [String] = []) {
    for name in (try? TextFile.names(inDirectory: state + "/log")) ?? [] { unlink(state + "/log/" + name) }
    for name in ["state/lock"] + files { unlink(path + "/" + name) }
    for directory in [state + "/log", state, path] { rmdir(directory) }
  }
}
