import ScrollModel

/// What a repair of a log found and did.
public struct RepairReport: Equatable, Sendable {
  /// What became of the last segment's head.
  public enum Head: String, Equatable, Sendable {
    /// It is good.
    case whole
    /// Header or checkpoint were bad, and were made anew; nothing of them is lost.
    case rebuilt
    /// The checkpoint was bad, and nothing tells any more which sessions were open: none is.
    case lost
  }

  /// The repair of the last segment.
  public struct Repair: Equatable, Sendable {
    /// The damage.
    public var damage: LogDamage
    /// What became of the segment's head.
    public var head: Head
    /// The last position that the log keeps.
    public var keptThrough: Position
    /// The last position that is known to be lost; all behind ``keptThrough`` are. `nil` when no good block tells.
    public var lostThrough: Position?
    /// The sessions that have records in good blocks among what is lost.
    public var lostSessions: [SessionID]
    /// How many bytes are set aside.
    public var bytes: Int64
    /// The path of the file that keeps them.
    public var kept: String
    /// The generation that begins behind ``keptThrough``; `nil` when no record is lost.
    public var generation: Generation?
  }

  /// The state directory.
  public var directory: String
  /// Nothing was changed.
  public var isDryRun: Bool
  /// How many segments the log has.
  public var segments = 0
  /// What was done to the last segment; `nil` when there was nothing to do.
  public var repair: Repair?
  /// Damage in sealed segments that costs records, which stays.
  public var sealedDamage: [LogDamage] = []
  /// Damage in sealed segments that costs no record, and which repairs leave to the daemon.
  public var derivedDamage: [LogDamage] = []

  init(directory: String, isDryRun: Bool) {
    self.directory = directory
    self.isDryRun = isDryRun
  }

  /// The text that people read, line by line.
  public var lines: [String] {
    if segments == 0 { return ["\(directory) holds no log."] }
    var lines =
      repair.map(lines(of:)) ?? ["Nothing to repair: nothing keeps a daemon from opening the log in \(directory)."]
    for damage in sealedDamage {
      lines.append(
        "\(damage). The segment is sealed and stays as it is: reads that need this part fail, all others work.")
    }
    for damage in derivedDamage {
      lines.append(
        "\(damage). No record is lost: what is bad there is told by the records, too; a daemon makes it anew or does without."
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
    case .rebuilt: lines.append("The segment's head can be told from the rest of the log and is made anew.")
    case .lost: lines.append("Which sessions were open when the segment began can no longer be told: none is open now.")
    }
    guard let generation = repair.generation else {
      lines.append("No record is lost: the log goes on behind position \(repair.keptThrough).")
      return lines
    }
    let first = repair.keptThrough + 1
    if let last = repair.lostThrough {
      lines.append(
        "Lost are the positions from \(first) to \(last), and what the bad bytes held behind them, if anything.")
    } else {
      lines.append("Lost is what stood from position \(first) on; how much, no good block tells.")
    }
    if !repair.lostSessions.isEmpty {
      let sessions = repair.lostSessions.map { "\($0)" }.joined(separator: ", ")
      lines.append("Sessions with records among that, as far as good blocks tell: \(sessions).")
    }
    lines.append("The log goes on behind position \(repair.keptThrough), with generation \(generation).")
    return lines
  }
}
