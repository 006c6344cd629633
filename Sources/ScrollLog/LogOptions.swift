import Platform
import ScrollModel

/// Options for opening and writing a log.
public struct LogOptions: Sendable {
  /// When written records are synced.
  public var syncMode: SyncMode
  /// The current boot, from `/proc/sys/kernel/random/boot_id`.
  public var boot: BootID
  /// How much space to reserve at a time after the segment's end, in bytes.
  public var preallocation: Int64 = 4 << 20
  /// The version of the fold; tests use others.
  public var foldVersion = Policy.foldVersion
  /// Up to which size, in bytes, a start checks the part of a segment before its last snapshot. The writer checks a larger
  /// part later.
  public var checkedAtStart: Int64 = 4 << 20
  /// The first generation of a new log. A daemon derives it from its clock, so that subscribers to a deleted log do not
  /// mistake a new one for it.
  public var firstGeneration: Generation = 1
  /// What clients have seen of the log, as far as the previous daemon has left that behind.
  public var seen: SeenPosition?
  /// The daemon's clock, in microseconds since the Unix epoch.
  public var now: @Sendable () -> Int64 = Clock.wallMicroseconds
  /// A monotonic clock, in microseconds, for ``SyncMode/interval(microseconds:)``.
  public var monotonic: @Sendable () -> Int64 = Clock.monotonicMicroseconds
  /// A source of random identifiers for segments.
  public var identifier: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  /// The sizes of the parts of packed segments.
  public var packing = PackingSizes()

  /// Creates the usual options for a sync mode and a boot.
  public init(syncMode: SyncMode, boot: BootID) {
    self.syncMode = syncMode
    self.boot = boot
  }
}

/// A position that a client has seen, so that a log that ends before it has lost records.
public struct SeenPosition: Equatable, Sendable {
  /// The generation that the position belongs to.
  public var generation: Generation
  /// The position.
  public var position: Position

  /// Creates a position of a generation.
  public init(generation: Generation, position: Position) {
    self.generation = generation
    self.position = position
  }
}

/// The sizes of the parts of packed segments. Readers accept any sizes; tests use small ones to get several parts.
public struct PackingSizes: Sendable {
  /// After how many bytes of unpacked blocks a packed block ends. Reading any record unpacks this much.
  public var block = 1 << 20
  /// After how many records a packed block ends.
  public var blockRecords = 16_384
  /// The minimum number of bytes of unpacked blocks between checkpoints. A query about the past folds at most about this
  /// much.
  public var checkpointDistance = 4 << 20

  /// Creates the usual sizes, or others.
  public init(block: Int = 1 << 20, blockRecords: Int = 16_384, checkpointDistance: Int = 4 << 20) {
    self.block = block
    self.blockRecords = blockRecords
    self.checkpointDistance = checkpointDistance
  }
}
