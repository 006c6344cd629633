/// The recent speed of the disk, as far as it decides where a job is done.
///
/// The disk is trusted after some fast jobs in a row, and no longer after a single slow one. So at most one job takes
/// longer than the loop expected, however long the disk hangs.
struct DiskPace {
  /// How long a fast job takes at most, in microseconds. The syncs of a good disk take a tenth to a third of it.
  static let limit: Int64 = 1000
  /// After how many fast jobs in a row the disk is trusted.
  static let trial = 8

  private var fastInARow: Int

  /// - Parameter isTrusted: Whether the disk is trusted before the first job.
  init(isTrusted: Bool) { fastInARow = isTrusted ? Self.trial : 0 }

  /// Whether the next job is expected to be fast.
  var isFast: Bool { fastInARow >= Self.trial }

  /// Counts a job.
  ///
  /// - Parameter duration: How long it took, in microseconds.
  mutating func add(_ duration: Int64) { fastInARow = duration <= Self.limit ? min(fastInARow + 1, Self.trial) : 0 }
}
