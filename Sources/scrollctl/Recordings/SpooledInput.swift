// Standard input, to be read twice.

import Glibc
import ScrollService

/// Standard input, kept in a file as long as this lives, so that it can be read twice.
final class SpooledInput {
  /// The file's path.
  let path: String
  private let directory: TemporaryDirectory

  /// Reads standard input to its end.
  init() throws {
    directory = try TemporaryDirectory(prefix: "scrollctl-import-")
    path = directory.path + "/input"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError.last("create", path) }
    defer { close(file) }
    let output = Output(descriptor: file)
    let lines = try LineReader("-")
    while try lines.next({ try output.raw(Array($0) + [0x0A]) }) != nil {}
    try output.flush()
  }

  deinit { directory.remove() }
}
