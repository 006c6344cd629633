import ScrollModel

/// Why records cannot be read.
public enum ReadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The log no longer has the record; `first` is the first position that it has.
  case positionTrimmed(first: Position)
  /// The record stands where the log is damaged, or behind that in the same segment.
  case logDamaged(LogDamage)
  /// A file operation failed.
  case file(FileError)

  /// The text that people read.
  public var description: String {
    switch self {
    case .positionTrimmed(let first): "the log begins at position \(first)"
    case .logDamaged(let damage): "the log is damaged: \(damage)"
    case .file(let error): "\(error)"
    }
  }

  /// What the reading functions inside throw, as this type.
  init(_ error: any Error, file: String, offset: Int64) {
    switch error {
    case let error as ReadError: self = error
    case let error as FileError: self = .file(error)
    case let damage as LogDamage: self = .logDamaged(damage)
    default: self = .logDamaged(LogDamage(file: file, offset: offset, reason: "\(error)"))
    }
  }
}
