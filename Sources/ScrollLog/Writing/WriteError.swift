import ScrollModel

/// Why a job of the writer was not done.
public enum WriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The disk is full. Nothing of the job is in the log, and the same positions can be written later.
  case noSpace(FileError)
  /// The job doesn't begin where the log ends, as after a block that found no space. Nothing of it is in the log.
  case outOfOrder(expected: Position)
  /// A snapshot could not be written. Appending goes on without it.
  case noSnapshot(FileError)
  /// A part of the segment that the start did not read is damaged, or cannot be read.
  case badSegment(ReadError)
  /// A write or a sync failed: from now on nothing is acknowledged any more, and the daemon has to end.
  case failed(FileError)

  /// The text that people read.
  public var description: String {
    switch self {
    case .noSpace(let error): "no space is left for the log: \(error)"
    case .noSnapshot(let error): "\(error)"
    case .badSegment(let error): "\(error)"
    case .outOfOrder(let expected): "the log goes on at position \(expected)"
    case .failed(let error): "the log failed and takes nothing any more: \(error)"
    }
  }
}
