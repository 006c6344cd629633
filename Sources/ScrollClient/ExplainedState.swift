import ScrollModel

/// The state of a client's newest session, and what last turned its toolbar.
public struct ExplainedState: Equatable, Sendable {
  /// The event that last turned a toolbar.
  public struct Turn: Equatable, Sendable {
    /// The event's position in the log.
    public var position: Position
    /// The event's time, by the client's clock.
    public var time: UnixMicroseconds
    /// The trigger that fired.
    public var trigger: Trigger
    /// The clause that fired it, with its numbers.
    public var reason: String
    /// The turn with the state after it, in the log's format.
    public var encoded: [UInt8]
  }

  /// What the daemon knows about the toolbar's last turn.
  public enum LastTurn: Equatable, Sendable {
    /// The toolbar is as it was when the session began.
    case never
    /// An event turned it.
    case at(Turn)
    /// It turned before the daemon began to remember, or the session is closed: only the log knows.
    case unknown
  }

  /// The state.
  public var state: StateReport
  /// Whether the session is open.
  public var isOpen: Bool
  /// What last turned the toolbar.
  public var lastTurn: LastTurn

  init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    state = try StateReport(members.require("state", members.members("state")))
    isOpen = try members.require("open", members.bool("open"))
    if let turn = members.members("turn") {
      lastTurn = .at(try Turn(turn))
    } else {
      lastTurn = try members.allow("turned", members.bool) == false ? .never : .unknown
    }
  }
}

extension ExplainedState.Turn {
  fileprivate init(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    position = try members.require("position", members.count("position"))
    time = try members.require("time", members.time("time"))
    let name = try members.require("trigger", members.string("trigger"))
    trigger = try members.require("trigger", Trigger.allCases.first { "\($0.name)" == name })
    reason = try members.require("reason", members.string("reason"))
    encoded = try members.require("fold", members.string("fold").flatMap(Self.bytes(ofHexadecimal:)))
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { byte in Character(Unicode.Scalar(byte)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
