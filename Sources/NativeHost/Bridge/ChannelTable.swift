import Varlink

/// The connections that the bridge wants, and which of them it has.
struct ChannelTable {
  private enum State {
    case wanted(from: ContinuousClock.Instant)
    case connected(ClientConnection)
  }

  private var states: [Channel: State] = [:]

  /// All channels that are wanted or connected.
  var all: [Channel] { Array(states.keys) }

  /// The connection of a channel that has one.
  subscript(channel: Channel) -> ClientConnection? {
    if case .connected(let connection) = states[channel] { connection } else { nil }
  }

  /// Whether a channel is wanted or connected.
  func contains(_ channel: Channel) -> Bool { states[channel] != nil }

  /// Asks for a connection at a time, unless the channel has one.
  mutating func want(_ channel: Channel, from time: ContinuousClock.Instant) {
    if self[channel] == nil { states[channel] = .wanted(from: time) }
  }

  /// Gives a channel its connection.
  mutating func connect(_ channel: Channel, _ connection: ClientConnection) { states[channel] = .connected(connection) }

  /// Gives up a channel, with its connection.
  mutating func drop(_ channel: Channel) { states[channel] = nil }

  /// The channels to connect now.
  func due(at now: ContinuousClock.Instant) -> [Channel] {
    states.compactMap { channel, state in
      if case .wanted(let time) = state, time <= now { channel } else { nil }
    }
  }

  /// When the next channel is to be connected.
  var nextDue: ContinuousClock.Instant? {
    states.values.compactMap { if case .wanted(let time) = $0 { time } else { nil } }.min()
  }
}
