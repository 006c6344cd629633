import ScrollModel

/// Why records cannot be read.
public enum ReadError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The log no longer holds the record; `first` is the first position that it holds.
  case positionTrimmed(first: Position)
  /// The record is in a damaged part of the log, or after one in the same segment.
  case logDamaged(LogDamage)
  /// A file operation failed.
  case file(FileError)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .positionTrimmed(let first): "the log begins at position \(first)"
    case .logDamaged(let damage): "the log is damaged: \(damage)"
    case .file(let error): "\(error)"
    }
  }

  /// Converts what the internal reading functions throw.
  init(_ error: any Error, file: String, offset: Int64) {
    switch error {
    case let error as ReadError: self = error
    case let error as FileError: self = .file(error)
    case let damage as LogDamage: self = .logDamaged(damage)
    default: self = .logDamaged(LogDamage(file: file, offset: offset, reason: "\(error)"))
    }
  }
}
