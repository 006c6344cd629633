import ScrollAnalysis
import ScrollClient
import ScrollModel

extension Moment {
  /// Returns the moment of a client's log. What the daemon cannot find itself is looked up in the client's newest session.
  func resolved(
    for client: String, user: UInt32?, by clock: LogReading.Clock, in daemon: ServiceConnection
  ) throws -> LogMoment {
    switch self {
    case .position(let position): return .position(position)
    case .time(let time) where clock == .received: return .time(UnixMicroseconds(time))
    case .number, .sinceStart, .time: break
    }
    let state = try about(client) { try daemon.state(of: client, user: user) }
    let session = try SessionLoader.load(state.session, of: state.user, from: daemon)
    guard let log = session.log, case let count = session.eventCount(by: self, clock), count > 0 else {
      throw Failure("the newest session of \(client) had no event by then")
    }
    return .position(log.positions[count - 1])
  }
}

extension LoadedSession {
  /// Returns how many of the events had happened by a moment, all without one.
  func eventCount(by moment: Moment?, _ clock: LogReading.Clock = .received) -> Int {
    var session = SessionClock()
    for (index, event) in events.enumerated() {
      let elapsed = session.advance(to: event.time)
      let hasHappened =
        switch moment {
        case nil: true
        case .position(let last): (log?.positions[index] ?? numbers[index]) <= last
        case .number(let last): numbers[index] <= last
        // Spans are printed in milliseconds.
        case .sinceStart(let span): elapsed < span + 500
        case .time(let last): (clock == .received ? log?.received[index] : nil) ?? event.time <= last
        }
      if !hasHappened { return index }
    }
    return events.count
  }
}
