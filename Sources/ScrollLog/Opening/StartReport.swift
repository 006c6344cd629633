import ScrollModel

/// How a log was opened, and how much work that was.
public struct StartReport: Equatable, Sendable, CustomStringConvertible {
  /// What the current states were computed from.
  public enum Basis: Equatable, Sendable {
    /// Nothing: the log is new.
    case newLog
    /// A snapshot and the part of the last segment after it.
    case snapshot(SnapshotPlace)
    /// All of the last segment, since no snapshot could be used.
    case scan(reason: String)
  }

  /// What the current states were computed from.
  public var basis: Basis
  /// How many blocks of the last segment and of its snapshots were read.
  public var blocksRead: Int64 = 0
  /// How many bytes of them were read.
  public var bytesRead: Int64 = 0
  /// How many torn tails were cut.
  public var tornTails: Int64 = 0
  /// How many bytes were in the torn tails.
  public var bytesCut: Int64 = 0
  /// How many records of the last segment were rewritten after an unclean shutdown.
  public var recordsRecovered: Int64 = 0
  /// How many sealed segments are damaged.
  public var damagedSegments: Int64 = 0
  /// How long the opening took, in microseconds.
  public var duration: Int64 = 0

  init(_ basis: Basis) { self.basis = basis }

  /// Counts what the notes report.
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

  /// The report as a phrase for people.
  public var description: String {
    let read = "read \(blocksRead) blocks, \(bytesRead) bytes, in \(duration) µs"
    switch basis {
    case .newLog: return "there was no log to read"
    case .snapshot(let place): return "started from the snapshot at position \(place.position): \(read)"
    case .scan(let reason): return "started by reading the whole last segment, because \(reason): \(read)"
    }
  }
}
