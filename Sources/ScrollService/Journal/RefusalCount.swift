// Keeps what one user provokes from filling the journal.

/// What of one user was refused: the first is told at once, the others once a minute, counted.
struct RefusalCount {
  /// What can be refused, with the words that say so.
  enum Kind: Int, CaseIterable {
    case connection
    case message
    case onewayCall
    case permission
    case buffer
    case rate
    case unfinished

    /// How often it came about, for people: `979 oneway calls refused`.
    func text(_ count: Int64) -> String {
      let isOne = count == 1
      return switch self {
      case .connection: "\(count) connection\(isOne ? "" : "s") refused"
      case .message: "\(count) connection\(isOne ? "" : "s") closed for what was sent"
      case .onewayCall: "\(count) oneway call\(isOne ? "" : "s") refused"
      case .permission: "permission denied \(isOne ? "once" : "\(count) times")"
      case .buffer: "\(count) connection\(isOne ? "" : "s") closed for what it held"
      case .rate: "held back \(isOne ? "once" : "\(count) times")"
      case .unfinished: "held back for messages that don't end \(isOne ? "once" : "\(count) times")"
      }
    }
  }

  /// How long after one message the next one comes, in microseconds.
  static let interval: Int64 = 60_000_000

  private var nextMessage = Int64.min
  private var keptBack = [Int64](repeating: 0, count: Kind.allCases.count)

  /// Takes it that something was refused.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  /// - Returns: Whether it is to be told at once; else it is counted.
  mutating func admits(_ kind: Kind, _ now: Int64) -> Bool {
    // What was kept back is told first.
    if now >= nextMessage, !hasKeptBack {
      nextMessage = now + Self.interval
      return true
    }
    keptBack[kind.rawValue] += 1
    return false
  }

  /// What was kept back since the last message, once its minute is over; `nil` when there is nothing.
  mutating func takeKeptBack(_ now: Int64) -> String? {
    guard hasKeptBack, now >= nextMessage else { return nil }
    nextMessage = now + Self.interval
    defer { keptBack = [Int64](repeating: 0, count: Kind.allCases.count) }
    return zip(Kind.allCases, keptBack).filter { $1 > 0 }.map { $0.text($1) }.joined(separator: ", ")
  }

  /// Whether there is nothing to remember.
  func isOver(_ now: Int64) -> Bool { !hasKeptBack && now >= nextMessage }

  private var hasKeptBack: Bool { keptBack.contains { $0 > 0 } }
}
