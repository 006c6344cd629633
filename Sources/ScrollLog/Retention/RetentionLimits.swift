import ScrollModel

/// Limits to how much of the past a log keeps.
public struct RetentionLimits: Equatable, Sendable {
  /// Why a segment is removed.
  public enum Reason: Equatable, Sendable {
    /// The log is too large.
    case use
    /// The file system has too little free space.
    case free
    /// All its records are too old.
    case age
  }

  /// The maximum size of the log's files, in bytes.
  public var maximumUse = Int64.max
  /// How much space to leave free on the file system, in bytes.
  public var keepFree: Int64 = 0
  /// The size below which ``keepFree`` never shrinks the log, in bytes, so that other programs cannot squeeze it out.
  public var floor: Int64 = 0
  /// The maximum age of records, in microseconds.
  public var maximumAge = Int64.max
  /// Whether the newest sealed segment stays when the log exceeds ``maximumUse``, so that a log always has a past.
  public var keepsNewest = false

  /// No limits.
  public static let none = RetentionLimits()

  /// Returns the size to which ``keepFree`` limits the log, in bytes.
  ///
  /// - Parameters:
  ///   - use: the current size of the log's files, in bytes.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown and does not count.
  public func allowedByFree(use: Int64, available: Int64?) -> Int64 {
    guard let available else { return .max }
    let (room, overflow) = use.addingReportingOverflow(available)
    return max(floor, overflow ? .max : room - keepFree)
  }
}
