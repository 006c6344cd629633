import ScrollModel

/// What a repair of a log found and did.
public struct RepairReport: Equatable, Sendable {
  /// What happened to the head of a segment.
  public enum Head: String, Equatable, Sendable {
    /// It was good.
    case whole
    /// The header or the checkpoint was bad, and was rebuilt without loss.
    case rebuilt
    /// The checkpoint was bad, and it is unknown which sessions were open: none is now.
    case lost
  }

  /// A repair of a segment.
  public struct Repair: Equatable, Sendable {
    /// The damage.
    public var damage: LogDamage
    /// What happened to the head of the segment.
    public var head: Head
    /// Whether another segment follows.
    public var isSealed: Bool
    /// The last position that the segment, or in its place the last of several, keeps.
    public var keptThrough: Position
    /// The positions that are lost before ``keptThrough``, or before the segment that follows. Reads of them fail, and none of
    /// them is used again.
    public var gaps: [ClosedRange<Position>]
    /// Whether records after ``keptThrough`` are lost, or may be.
    public var isCut: Bool
    /// The last position known to be lost, with all positions after ``keptThrough``; `nil` if nothing shows one.
    public var lostThrough: Position?
    /// The sessions that have lost records, as far as the rest of the log shows.
    public var lostSessions: [SessionID]
    /// The other sessions that were open where records are lost. Nothing shows whether they have lost any.
    public var uncertainSessions: [SessionID]
    /// How many records are kept.
    public var records: Int64
    /// How many bytes were set aside.
    public var bytes: Int64
    /// The paths of the files that keep them.
    public var kept: [String]
    /// The generation that begins after ``keptThrough``; `nil` if only the head was bad, or if another segment follows.
    public var generation: Generation?
  }

  /// A file that was no part of the log.
  public struct Stray: Equatable, Sendable {
    /// The file.
    public var file: String
    /// Why it was not a part of the log.
    public var reason: String
    /// The path of what has become of it.
    public var kept: String
  }

  /// A segment that was begun after a sealed one, because the newer ones are missing.
  public struct Successor: Equatable, Sendable {
    /// The last position of the sealed segment.
    public var after: Position
    /// The generation that begins.
    public var generation: Generation
    /// Whether it is unknown which sessions are open.
    public var isUnsure: Bool
  }

  /// How many sessions a line names at most.
  private static let shownSessions = 10

  /// The state directory.
  public var directory: String
  /// Whether nothing was changed.
  public var isDryRun: Bool
  /// How many segments the log has.
  public var segments = 0
  /// The repair of the last segment; `nil` if none was needed.
  public var repair: Repair?
  /// The files that were no part of the log.
  public var strays: [Stray] = []
  /// The segment that was begun, because records at the end of the last one are bad and it can't be written to.
  public var successor: Successor?
  /// The repairs of segments that others follow, in order.
  public var sealedRepairs: [Repair] = []
  /// Segments that do not continue each other, since one belongs to another log. They remain.
  public var foreign: [LogDamage] = []
  /// Other damage in sealed segments that costs records, and remains.
  public var sealedDamage: [LogDamage] = []
  /// Damage in sealed segments that costs no records, and which the daemon handles.
  public var derivedDamage: [LogDamage] = []

  init(directory: String, isDryRun: Bool) {
    self.directory = directory
    self.isDryRun = isDryRun
  }

  /// Whether a part of the log that costs records is as bad as before.
  public var isIncomplete: Bool { !foreign.isEmpty || !sealedDamage.isEmpty }

  /// The report as text for people, line by line.
  public var lines: [String] {
    if segments == 0, strays.isEmpty { return ["\(directory) holds no log."] }
    let verb = isDryRun ? "Would set aside" : "Set aside"
    var lines = strays.map {
      "\($0.file): \($0.reason). \(verb) as \($0.kept). No record is lost with it."
    }
    for repair in sealedRepairs { lines += self.lines(of: repair) }
    if let repair {
      lines += self.lines(of: repair)
    } else if let successor {
      let begun = isDryRun ? "Would begin" : "Began"
      lines.append(
        "\(begun) a segment after position \(successor.after), with generation \(successor.generation), since the newer "
          + "ones are missing.")
      if successor.isUnsure {
        lines.append("Sessions that were open before the damage stay open, though the bad part may have closed them.")
      }
    } else if strays.isEmpty, sealedRepairs.isEmpty, !isIncomplete {
      lines.append("Nothing to repair: a daemon can open the log in \(directory).")
    }
    for damage in foreign {
      lines.append(
        "\(damage). Neither was changed. Move the one that does not belong here out of \(directory)/log: until then, a daemon "
          + "does not start, or takes the other log's records for its own.")
    }
    for damage in sealedDamage {
      lines.append(
        "\(damage). A repair cannot change that: reads that need this part fail, all others work. If a file is missing and you "
          + "have it, put it back.")
    }
    for damage in derivedDamage {
      lines.append(
        "\(damage). No record is lost: the bad part is derived from the records, and a daemon rebuilds it or does without."
      )
    }
    return lines
  }

  private func lines(of repair: Repair) -> [String] {
    var lines = ["\(repair.damage)."]
    let verb = isDryRun ? "Would set aside" : "Set aside"
    if !repair.kept.isEmpty {
      lines.append("\(verb) \(repair.bytes) bytes, kept in \(repair.kept.joined(separator: ", ")).")
    }
    switch repair.head {
    case .whole: break
    case .rebuilt: lines.append("The segment's head was rebuilt from the rest of the log.")
    case .lost: lines.append("It is unknown which sessions were open when the segment began.")
    }
    for gap in repair.gaps {
      lines.append(
        gap.count == 1
          ? "Lost: position \(gap.lowerBound)." : "Lost: positions \(gap.lowerBound) to \(gap.upperBound).")
    }
    let first = repair.keptThrough + 1
    if let last = repair.lostThrough {
      lines.append("Lost: positions \(first) to \(last), and any records after them in the bad bytes.")
    } else if repair.isCut {
      lines.append("Lost: an unknown number of records from position \(first) on.")
    } else if repair.gaps.isEmpty, repair.lostSessions.isEmpty {
      lines.append("No record is lost.")
    }
    if !repair.lostSessions.isEmpty {
      let sessions = repair.lostSessions.map { "\($0)" }.joined(separator: ", ")
      lines.append("Sessions with lost records, as far as the rest of the log shows: \(sessions).")
    }
    if !repair.uncertainSessions.isEmpty {
      let shown = repair.uncertainSessions.prefix(Self.shownSessions).map { "\($0)" }.joined(separator: ", ")
      let others = repair.uncertainSessions.count - Self.shownSessions
      let rest = others > 0 ? " and \(others) others, which --json lists" : ""
      lines.append("Sessions that were open there, and may have lost records: \(shown)\(rest).")
    }
    if !repair.gaps.isEmpty {
      lines.append(
        "A session that was opened and closed there is lost without a trace. What follows of a session whose opening is lost is "
          + "left out, since nobody could tell whose it is.")
    }
    if repair.isSealed {
      lines.append(
        repair.records > 0 ? "All other records of the file can be read again." : "The file has no other record.")
      return lines
    }
    let generation = repair.generation.map { ", with generation \($0)" } ?? ""
    lines.append("The log continues after position \(repair.keptThrough)\(generation).")
    return lines
  }
}
