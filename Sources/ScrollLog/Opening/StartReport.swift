import ScrollModel

/// What it took to open a log.
public struct StartReport: Equatable, Sendable, CustomStringConvertible {
  /// Where the present states come from.
  public enum Basis: Equatable, Sendable {
    /// There was no log.
    case newLog
    /// From a snapshot, and what stands behind it in the last segment.
    case snapshot(SnapshotPlace)
    /// From all of the last segment, since a snapshot would not do.
    case scan(reason: String)
  }

  /// Where the present states come from.
  public var basis: Basis
  /// How many blocks of the last segment and of the snapshots beside it were read.
  public var blocksRead: Int64 = 0
  /// How many bytes of the two were read.
  public var bytesRead: Int64 = 0
  /// How many torn tails were cut.
  public var tornTails: Int64 = 0
  /// How many bytes were in them.
  public var bytesCut: Int64 = 0
  /// How many records of the last segment were written anew after a stop that was not in order.
  public var recordsRecovered: Int64 = 0
  /// How many sealed segments were found damaged.
  public var damagedSegments: Int64 = 0
  /// How long it took, in microseconds.
  public var duration: Int64 = 0

  init(_ basis: Basis) { self.basis = basis }

  /// What was met, as far as the notes tell.
  mutating func count(_ notes: [RecoveryNote]) {
    for note in notes {
      switch note {
      case .cutTornTail(_, let bytes, _, _):
        tornTails += 1
        bytesCut += bytes
      case .sealedDamage: damagedSegments += 1
      default: break
      }
    }
  }

  /// The text that people read.
  public var description: String {
    let read = "read \(blocksRead) blocks, \(bytesRead) bytes, in \(duration) µs"
    switch basis {
    case .newLog: return "there was no log to read"
    case .snapshot(let place): return "started from the snapshot of position \(place.position): \(read)"
    case .scan(let reason): return "started by reading all of the last segment, since \(reason): \(read)"
    }
  }
}
