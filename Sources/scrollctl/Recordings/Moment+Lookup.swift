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
    case .number, .line, .sinceStart, .time: break
    }
    let state = try about(client) { try daemon.state(of: client, user: user) }
    let session = try SessionLoader.load(state.session, of: state.user, from: daemon)
    guard let log = session.log, case let count = try session.eventCount(by: self, clock), count > 0 else {
      throw Failure("the newest session of \(client) had no event by then")
    }
    return .position(log.positions[count - 1])
  }
}

extension LoadedSession {
  /// Returns how many of the events had happened by a moment, all without one.
  ///
  /// - Throws: ``Failure`` if the moment is a line of a file or an event of another session, or after the end of this one.
  func eventCount(by moment: Moment?, _ clock: LogReading.Clock = .received) throws(Failure) -> Int {
    let moment = moment?.spanInsteadOfLine ?? moment
    if case .line(let line, let owner) = moment {
      throw Failure(
        "“\(owner ?? ""):\(line)” is a line of a file, and this is a session of the log",
        hint: "An event of the session is “#\(line)”.")
    }
    if case .number(let number, let owner) = moment {
      try checkOwner(owner, of: number)
      if let last = numbers.last, number > last {
        throw Failure("the session has no event #\(number): its last one is #\(last)")
      }
    }
    var session = SessionClock()
    for (index, event) in events.enumerated() {
      let elapsed = session.advance(to: event.time)
      let hasHappened =
        switch moment {
        case nil: true
        case .position(let last): (log?.positions[index] ?? numbers[index]) <= last
        case .number(let last, _), .line(let last, _): numbers[index] <= last
        // Spans are printed in milliseconds.
        case .sinceStart(let span): elapsed < span + 500
        case .time(let last): (clock == .received ? log?.received[index] : nil) ?? event.time <= last
        }
      if !hasHappened { return index }
    }
    if case .sinceStart(let span) = moment, let end = end(session), span >= end + 500 {
      throw Failure("the session ends at \(NumberText.sinceStart(end)), before \(NumberText.sinceStart(span))")
    }
    return events.count
  }

  /// Returns when a session ended that does not go on, in microseconds since its first event.
  private func end(_ clock: SessionClock) -> Int64? {
    if let closed { return clock.elapsed(until: closed) }
    return log == nil ? clock.elapsed : nil
  }

  private func checkOwner(_ owner: String?, of number: Int64) throws(Failure) {
    guard let owner, let log, owner != log.client, owner != log.session.suffixed(to: log.client) else { return }
    throw Failure(
      "“\(owner)#\(number)” is an event of another session than \(log.session) of \(log.client)",
      hint: "“scrollctl sessions” lists the sessions' ids. Give the id instead of the client, and “#\(number)” as the "
        + "event.")
  }
}
