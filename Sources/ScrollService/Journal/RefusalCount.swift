/// The refusals that one user has caused, so that one user can't flood the journal.
///
/// The first refusal is logged at once; later ones are counted, and logged once a minute.
struct RefusalCount {
  /// The kinds of refusals, with their messages.
  enum Kind: Int, CaseIterable {
    case connection
    case message
    case onewayCall
    case permission
    case buffer
    case rate
    case unfinished

    /// Returns the message for a number of refusals of this kind: `979 oneway calls refused`.
    func text(_ count: Int64) -> String {
      let isOne = count == 1
      return switch self {
      case .connection: "\(count) connection\(isOne ? "" : "s") refused"
      case .message: "\(count) connection\(isOne ? "" : "s") closed for protocol errors"
      case .onewayCall: "\(count) oneway call\(isOne ? "" : "s") refused"
      case .permission: "permission denied \(isOne ? "once" : "\(count) times")"
      case .buffer: "\(count) connection\(isOne ? "" : "s") closed for using too much memory"
      case .rate: "throttled \(isOne ? "once" : "\(count) times")"
      case .unfinished: "throttled for incomplete messages \(isOne ? "once" : "\(count) times")"
      }
    }
  }

  /// The minimum time between two messages, in microseconds.
  static let interval: Int64 = 60_000_000

  private var nextMessage = Int64.min
  private var suppressed = [Int64](repeating: 0, count: Kind.allCases.count)

  /// Counts a refusal, unless it is to be logged at once.
  ///
  /// - Parameter now: The monotonic clock, in microseconds.
  /// - Returns: Whether to log it at once.
  mutating func admits(_ kind: Kind, _ now: Int64) -> Bool {
    // Suppressed refusals are logged before new ones.
    if now >= nextMessage, !hasSuppressed {
      nextMessage = now + Self.interval
      return true
    }
    suppressed[kind.rawValue] += 1
    return false
  }

  /// Returns the message for the refusals suppressed since the last message, once its minute is over; `nil` if there were none.
  mutating func takeSuppressed(_ now: Int64) -> String? {
    guard hasSuppressed, now >= nextMessage else { return nil }
    nextMessage = now + Self.interval
    defer { suppressed = [Int64](repeating: 0, count: Kind.allCases.count) }
    return zip(Kind.allCases, suppressed).filter { $1 > 0 }.map { $0.text($1) }.joined(separator: ", ")
  }

  /// Returns whether nothing is suppressed and the minute after the last message is over.
  func isIdle(_ now: Int64) -> Bool { !hasSuppressed && now >= nextMessage }

  private var hasSuppressed: Bool { suppressed.contains { $0 > 0 } }
}
