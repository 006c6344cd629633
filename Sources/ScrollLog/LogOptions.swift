import Glibc
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

/// How large the parts of a packed segment are. Readers go by what they find; tests make them small, so that there are several.
public struct PackingSizes: Sendable {
  /// After how many bytes of blocks, as they were, a packed block ends: so much is unpacked to read any of it.
  public var block = 1 << 20
  /// After how many records a packed block ends.
  public var blockRecords = 16_384
  /// How many bytes of blocks, as they were, lie between checkpoints, at the least: so much is folded to know a past state.
  public var checkpointDistance = 4 << 20

  /// The usual sizes, or others.
  public init(block: Int = 1 << 20, blockRecords: Int = 16_384, checkpointDistance: Int = 4 << 20) {
    self.block = block
    self.blockRecords = blockRecords
    self.checkpointDistance = checkpointDistance
  }
}

/// The machine's clocks, in microseconds.
enum Clock {
  /// Microseconds since the Unix epoch.
  @Sendable static func now() -> Int64 { read(CLOCK_REALTIME) }

  /// Microseconds since some moment, never going back.
  @Sendable static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It can fail only for a clock that doesn't exist.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
