import ScrollModel

/// How much of the past a log keeps. ``none`` keeps all.
public struct RetentionLimits: Equatable, Sendable {
  /// Why a segment goes.
  public enum Reason: Equatable, Sendable {
    /// The log is too large.
    case use
    /// Too little is free on the file system.
    case free
    /// All its records are too old.
    case age
  }

  /// How many bytes the log's files may take.
  public var maximumUse = Int64.max
  /// How many bytes are left free on the file system.
  public var keepFree: Int64 = 0
  /// For `keepFree` the log is never made smaller than this, in bytes: what others take up later is not taken from it.
  public var floor: Int64 = 0
  /// How old records may be, in microseconds.
  public var maximumAge = Int64.max

  /// No limits.
  public static let none = RetentionLimits()

  /// How much the log may take in all.
  ///
  /// - Parameters:
  ///   - use: how many bytes the log's files take.
  ///   - available: how many bytes are free; `nil` when it is unknown, and then nothing goes for them.
  /// - Returns: how many bytes it may take, and which of the limits says so.
  func allowed(use: Int64, available: Int64?) -> (bytes: Int64, Reason) {
    guard let available else { return (maximumUse, .use) }
    let (room, overflow) = use.addingReportingOverflow(available)
    let byFree = max(floor, overflow ? .max : room - keepFree)
    return byFree < maximumUse ? (byFree, .free) : (maximumUse, .use)
  }
}
