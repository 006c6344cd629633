import ScrollModel

/// What a repair of a log found and did.
public struct RepairReport: Equatable, Sendable {
  /// What happened to the head of the last segment.
  public enum Head: String, Equatable, Sendable {
    /// It was good.
    case whole
    /// The header or the checkpoint was bad, and was rebuilt without loss.
    case rebuilt
    /// The checkpoint was bad, and it is unknown which sessions were open: none is now.
    case lost
  }

  /// A repair of the last segment.
  public struct Repair: Equatable, Sendable {
    /// The damage.
    public var damage: LogDamage
    /// What happened to the head of the segment.
    public var head: Head
    /// The last position that the log keeps.
    public var keptThrough: Position
    /// The last position known to be lost, with all positions after ``keptThrough``; `nil` if no good block shows one.
    public var lostThrough: Position?
    /// The sessions with records in good blocks after the damage.
    public var lostSessions: [SessionID]
    /// How many bytes were set aside.
    public var bytes: Int64
    /// The path of the file that keeps them.
    public var kept: String
    /// The generation that begins after ``keptThrough``; `nil` if no record is lost.
    public var generation: Generation?
  }

  /// The state directory.
  public var directory: String
  /// Whether nothing was changed.
  public var isDryRun: Bool
  /// How many segments the log has.
  public var segments = 0
  /// The repair of the last segment; `nil` if none was needed.
  public var repair: Repair?
  /// Damage in sealed segments that costs records, and remains.
  public var sealedDamage: [LogDamage] = []
  /// Damage in sealed segments that costs no records, and which the daemon handles.
  public var derivedDamage: [LogDamage] = []

  init(directory: String, isDryRun: Bool) {
    self.directory = directory
    self.isDryRun = isDryRun
  }

  /// The report as text for people, line by line.
  public var lines: [String] {
    if segments == 0 { return ["\(directory) holds no log."] }
    var lines =
      repair.map(lines(of:)) ?? ["Nothing to repair: a daemon can open the log in \(directory)."]
    for damage in sealedDamage {
      lines.append(
        "\(damage). The segment is sealed and was not changed: reads that need this part fail, all others work.")
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
    lines.append("\(verb) \(repair.bytes) bytes, kept in \(repair.kept).")
    switch repair.head {
    case .whole: break
    case .rebuilt: lines.append("The segment's head was rebuilt from the rest of the log.")
    case .lost: lines.append("It is unknown which sessions were open when the segment began: none is open now.")
    }
    guard let generation = repair.generation else {
      lines.append("No record is lost: the log continues after position \(repair.keptThrough).")
      return lines
    }
    let first = repair.keptThrough + 1
    if let last = repair.lostThrough {
      lines.append(
        "Lost: positions \(first) to \(last), and any records after them in the bad bytes.")
    } else {
      lines.append("Lost: an unknown number of records from position \(first) on.")
    }
    if !repair.lostSessions.isEmpty {
      let sessions = repair.lostSessions.map { "\($0)" }.joined(separator: ", ")
      lines.append("Sessions with records among them, as far as good blocks show: \(sessions).")
    }
    lines.append("The log continues after position \(repair.keptThrough), with generation \(generation).")
    return lines
  }
}
