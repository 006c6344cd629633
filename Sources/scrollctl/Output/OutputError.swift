import Platform

/// Why printing failed.
enum OutputError: Error, Equatable, CustomStringConvertible {
  /// Nobody reads any more, as behind a pipe into head(1).
  case readerGone
  /// The output can't be written.
  case failed(Errno)

  var description: String {
    switch self {
    case .readerGone: "the reader of the output is gone"
    case .failed(let errno): "cannot write the output: \(errno)"
    }
  }
}
