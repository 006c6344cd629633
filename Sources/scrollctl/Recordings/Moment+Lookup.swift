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
    case .time(let time, _) where clock == .received: return .time(UnixMicroseconds(time))
    case .number, .line, .sinceStart, .time: break
    }
    let state = try about(client) { try daemon.state(of: client, user: user) }
    let session = try SessionLoader.load(state.session, of: state.user, from: daemon)
    return .position(try session.position(by: self, clock, name: "the newest session of \(client)"))
  }
}

extension LoadedSession {
  /// Returns the position of the log's session after which a moment is: that of an event, or of the opening.
  ///
  /// - Parameter name: The session's name in messages.
  /// - Throws: ``Failure`` if the session was not open yet, or as ``eventCount(by:_:)``.
  func position(by moment: Moment?, _ clock: LogReading.Clock, name: String) throws(Failure) -> Position {
    let count = try eventCount(by: moment, clock)
    if count > 0, let log { return log.positions[count - 1] }
    guard let opening = log?.opening else { throw Failure("\(name) had no event by then") }
    let isOpen =
      switch moment {
      case nil, .number, .line, .sinceStart: true
      case .position(let last): last >= opening.position
      case .time(let last, let end): (end ?? last) >= (clock == .received ? opening.received : opening.time)
      }
    if isOpen { return opening.position }
    let first = clock == .received ? opening.received : opening.time
    throw Failure(
      "\(name) was not open yet by then: it was opened at \(TimeText().dateWithMilliseconds(first)), position "
        + "\(opening.position)",
      hint: clock == .received
        ? "The time is by the daemon's clock; with --by event-time, it is by the client's."
        : "The time is by the client's clock.")
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
    let times = { (index: Int) in (clock == .received ? log?.received[index] : nil) ?? events[index].time }
    // A time in whole seconds that is before everything means something in its second.
    var latest = Int64.max
    if case .time(let last, let end) = moment {
      let begin = log?.opening.map { clock == .received ? $0.received : $0.time }
      let first = begin ?? (events.isEmpty ? nil : times(0))
      latest = last < first ?? .min ? end ?? last : last
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
        case .time: times(index) <= latest
        }
      if !hasHappened { return index }
    }
    if case .sinceStart(let span) = moment, let end = end(session), span >= end + 500 {
      throw Failure("the session ends at \(NumberText.sinceStart(end)), before \(NumberText.sinceStart(span))")
    }
    if log != nil, clock == .eventTime {
      try moment?.requirePast(now: UnixMicroseconds.now.rawValue, Self.lastEvent(events))
    }
    return events.count
  }

  /// Returns when a session ended that does not go on, in microseconds since its first event.
  private func end(_ clock: SessionClock) -> Int64? {
    if let closed { return clock.elapsed(until: closed) }
    return log == nil ? clock.elapsed : nil
  }

  /// What a message adds about the last event, by the client's clock.
  private static func lastEvent(_ events: [Event]) -> String {
    events.map(\.time).max().map { ", and the last event was at \(TimeText().date($0)) by its clock" } ?? ""
  }

  /// Whether a text names this session. “log” adds the owner of other users' clients: `reader of bob`.
  private func isNamed(_ text: String) -> Bool {
    guard let log else { return true }
    return [log.client, log.session.suffixed(to: log.client), log.session.description].contains(text)
      || text.hasPrefix("\(log.client) of ")
  }

  private func checkOwner(_ owner: String?, of number: Int64) throws(Failure) {
    guard let owner, let log, !isNamed(owner) else { return }
    throw Failure(
      "“\(owner)#\(number)” is an event of another session than \(log.session) of \(log.client)",
      hint:
        "Give that session instead: its client, its id, or a name such as \(log.session.suffixed(to: log.client)).\n"
        + "“scrollctl sessions” lists what the log has.")
  }
}
