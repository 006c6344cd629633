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

  /// No limits.
  public static let none = RetentionLimits()

  /// Returns the maximum size of the log.
  ///
  /// - Parameters:
  ///   - use: the current size of the log's files, in bytes.
  ///   - available: the free space of the file system, in bytes; `nil` when it is unknown and does not count.
  /// - Returns: the size in bytes, and which of the limits sets it.
  func allowed(use: Int64, available: Int64?) -> (bytes: Int64, Reason) {
    guard let available else { return (maximumUse, .use) }
    let (room, overflow) = use.addingReportingOverflow(available)
    let byFree = max(floor, overflow ? .max : room - keepFree)
    return byFree < maximumUse ? (byFree, .free) : (maximumUse, .use)
  }
}
