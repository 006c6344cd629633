import Platform

/// A directory under `$TMPDIR` or `/tmp`, to be removed with its contents.
struct TemporaryDirectory {
  let path: String

  /// Makes a directory whose name begins with `prefix`.
  init(prefix: String) throws(SystemError) {
    // A socket's path must fit into 107 bytes.
    let usable = CurrentProcess.variable("TMPDIR").flatMap { $0.isEmpty || $0.utf8.count > 60 ? nil : $0 } ?? "/tmp"
    path = try SystemError.wrapping("make a directory in", usable) { () throws(Errno) in
      try Directory.makeTemporary(prefix: "\(usable)/\(prefix)")
    }
  }

  /// Removes the directory, as far as possible.
  func remove() { Directory.removeTree(path) }
}
