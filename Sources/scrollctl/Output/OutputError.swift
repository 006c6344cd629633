// Why printing failed.

import Glibc

/// Why printing failed.
enum OutputError: Error, Equatable, CustomStringConvertible {
  /// Nobody reads any more, as behind a pipe into head(1).
  case readerGone
  /// It can't be written; `code` is the errno.
  case failed(code: Int32)

  var description: String {
    switch self {
    case .readerGone: "the reader of the output is gone"
    case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
    }
  }
}
