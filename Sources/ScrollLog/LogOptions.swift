// How a log is opened and written.

import ScrollModel

/// How a log is opened and written.
public struct LogOptions: Sendable {
  /// When what was written is synced.
  public var syncMode: SyncMode
  /// Which run of the machine this is, as `/proc/sys/kernel/random/boot_id` says.
  public var boot: BootID
  /// How much space is reserved at once ahead of the segment's end, in bytes.
  public var preallocation: Int64 = 4 << 20
  /// The version of the fold, which tests make up.
  public var foldVersion = Policy.foldVersion
  /// Up to how many bytes of a segment a start checks though a snapshot tells what they fold to. Of a longer segment the
  /// writer checks them afterwards.
  public var checkedAtStart: Int64 = 4 << 20
  /// The generation that a new log begins with. A daemon names it after its clock, so that who has seen a log that is gone is
  /// not given the one in its place.
  public var firstGeneration: Generation = 1
  /// The daemon's clock, microseconds since the Unix epoch.
  public var now: @Sendable () -> Int64 = Clock.now
  /// A clock that never goes back, in microseconds, for ``SyncMode/interval(microseconds:)``.
  public var monotonic: @Sendable () -> Int64 = Clock.monotonic
  /// Random numbers that name segments.
  public var identifier: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// How large the parts of a packed segment are.
  public var packing = PackingSizes()

  /// The usual options with a sync mode and a run of the machine.
  public init(syncMode: SyncMode, boot: BootID) {
    self.syncMode = syncMode
    self.boot = boot
  }
}
