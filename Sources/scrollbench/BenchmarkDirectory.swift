import Platform

/// A temporary directory with a state directory in it.
struct BenchmarkDirectory {
  let path: String

  /// The state directory, which may not exist yet.
  var state: String { path + "/state" }

  /// Creates a directory.
  ///
  /// - Throws: `SystemError`.
  init(in parent: String) throws(SystemError) {
    path = try SystemError.wrapping("make a directory in", parent) { () throws(Errno) in
      try Directory.makeTemporary(prefix: parent + "/scrollbench-")
    }
  }

  /// Removes the directory with the log and these files.
  ///
  /// - Parameter files: The names of files other than the log's.
  func remove(_ files: [String] = []) {
    for name in (try? Directory.names(in: state + "/log")) ?? [] { try? Files.remove(state + "/log/" + name) }
    for name in (try? Directory.names(in: state)) ?? [] { try? Files.remove(state + "/" + name) }
    for name in files { try? Files.remove(path + "/" + name) }
    for directory in [state + "/log", state, path] { try? Directory.remove(directory) }
  }
}
