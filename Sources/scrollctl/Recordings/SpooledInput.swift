import Platform

/// A temporary copy of standard input, which can be read twice.
final class SpooledInput {
  /// The file's path.
  let path: String
  private let directory: TemporaryDirectory

  /// Reads standard input to its end.
  init() throws {
    directory = try TemporaryDirectory(prefix: "scrollctl-import-")
    path = directory.path + "/input"
    let file = try SystemError.wrapping("create", path) { [path] () throws(Errno) in
      try FileDescriptor(opening: path, [.writeOnly, .create, .exclusive])
    }
    let output = Output(file.borrowed)
    let lines = try LineReader("-")
    while try lines.next({ try output.raw(Array($0) + [0x0A]) }) != nil {}
    try output.flush()
  }

  deinit { directory.remove() }
}
