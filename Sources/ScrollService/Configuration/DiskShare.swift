// A part of a disk, as a setting gives it.

import ScrollLog

/// A part of a disk, as a setting gives it.
public enum DiskShare: Equatable, Sendable {
  /// This many bytes.
  case bytes(Int64)
  /// This many hundredths of the file system.
  case percent(Int)

  /// How many bytes that is on a file system.
  func bytes(of total: Int64) -> Int64 {
    switch self {
    case .bytes(let bytes): bytes
    case .percent(let percent): total / 100 * Int64(percent)
    }
  }
}
