import ScrollLog

/// A share of a file system, as configured.
public enum DiskShare: Equatable, Sendable {
  /// A number of bytes.
  case bytes(Int64)
  /// A percentage of the file system.
  case percent(Int)

  /// Returns the number of bytes on a file system of a given size.
  func bytes(of total: Int64) -> Int64 {
    switch self {
    case .bytes(let bytes): bytes
    case .percent(let percent): total / 100 * Int64(percent)
    }
  }
}
