import ScrollModel

/// Why a job of the writer was not done.
public enum WriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The disk is full. The log is unchanged, and the same positions can be written later.
  case noSpace(FileError)
  /// The job does not begin where the log ends, as after a block that found no space. The log is unchanged.
  case outOfOrder(expected: Position)
  /// A snapshot could not be written. Appending continues without it.
  case noSnapshot(FileError)
  /// A part of the segment that the start did not read is damaged or cannot be read.
  case badSegment(ReadError)
  /// A write or a sync failed: nothing more is acknowledged, and the daemon has to end.
  case failed(FileError)

  /// The error as a phrase for people.
  public var description: String {
    switch self {
    case .noSpace(let error): "no space left for the log: \(error)"
    case .noSnapshot(let error): "\(error)"
    case .badSegment(let error): "\(error)"
    case .outOfOrder(let expected): "the log continues at position \(expected)"
    case .failed(let error): "the log failed and accepts no more records: \(error)"
    }
  }
}
