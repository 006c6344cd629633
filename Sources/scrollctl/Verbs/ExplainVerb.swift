import Platform
import ScrollAnalysis
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  static let explain = Verb(
    name: "explain", group: .observe,
    arguments: [Argument(name: "CLIENT|SESSION|FILE")],
    options: [.at, .clock, .uid, .policy, .set, .config, .noPager],
    summary: "Explain why the toolbar is shown or hidden, and what would change that",
    details: [
      "For a CLIENT, scrollctl folds the log of its newest session up to WHEN; for a SESSION, the session with this id, or "
        + "with a name such as reader/main@0123abcd. For a FILE, which is a recording, it needs no daemon, and WHEN is a "
        + "line of the file, an event of it such as “#12”, the time since the session's first event, or a time by the client's "
        + "clock. An existing file counts as a FILE, and “-” as standard input.",
      moments,
      "The first line says which session is explained, and up to which event. The explanation names the event that turned the toolbar, the movement since then that did not count, and what would "
        + "turn the toolbar now. Each advice has been tried on a copy of the state.",
      "The policy is the session's own, or the default policy for a FILE. With --policy or --set, scrollctl explains what "
        + "another policy would do.",
    ],
    examples: [
      Example(
        arguments: "explain reader/main", meaning: "Explain why the reader's toolbar is hidden, and what would show it."
      ),
      Example(
        arguments: "explain reader/main --set hideDistance=40",
        meaning: "Explain what would happen if its policy hid the toolbar after 40 points."),
      Example(
        arguments: "explain --at 370 article.ndjson", meaning: "Explain the state after line 370 of a recording."),
    ]
  ) { invocation in
    let choice = try PolicyChoice(invocation.command)
    let explained: Explained
    switch Subject(invocation.command.arguments[0]) {
    case .file(let path): explained = try explain(file: path, choice, invocation)
    case .client(let client):
      let user = try invocation.command.uid()
      let named = try SessionName(client).flatMap { _ in try invocation.connect().session(named: client, user: user) }
      if let named {
        explained = try explain(session: named.session, of: named.user, choice, invocation)
      } else {
        explained = try explain(client: client, choice, invocation)
      }
    case .session(let session):
      explained = try explain(session: session, of: invocation.command.uid(), choice, invocation)
    }
    let explanation = explained.explainer.explanation
    if invocation.wantsJSON {
      try invocation.output.json(ExplanationJSON(explanation: explanation, numbersAreLines: explained.isFile))
    } else {
      let lines = [explained.place] + explanation.lines(numbersAreLines: explained.isFile)
      try invocation.output.lines(lines.map(visible).flatMap { hanging($0, columns: invocation.style.columns) })
    }
    return .done
  }

  /// A session that was folded up to a moment.
  private struct Explained {
    /// The file's name, or the session's.
    var name: String
    /// Whether the events' numbers are lines of a file.
    var isFile = false
    var explainer: Explainer

    /// Which state is explained: `reader/main@0123abcd, after event 174, at +6.305 s`.
    var place: String {
      guard let number = explainer.lastNumber else { return "\(name), before its first event" }
      return "\(name), after \(isFile ? "line" : "event") \(number), at \(NumberText.sinceStart(explainer.elapsed))"
    }
  }

  /// Returns the moment of `--at`. `50:15` is a line of a file 50, or a time since the first event of any other one.
  private static func moment(in file: String, _ invocation: Invocation) throws -> Moment? {
    let moment = try invocation.moment()
    guard case .line(_, let owner?) = moment, !DistinctNames.mayName(owner, file) else { return moment }
    return moment?.spanInsteadOfLine ?? moment
  }

  private static func explain(file: String, _ choice: PolicyChoice, _ invocation: Invocation) throws -> Explained {
    let moment = try moment(in: file, invocation)
    let last: Int64? =
      switch moment {
      case .position(let line), .line(let line, _): line
      case nil, .number, .sinceStart, .time: nil
      }
    let policy = try choice.policy(invocation.command) { .safari }
    let progress = ReadProgress("explain", files: [file])
    defer { progress.clear() }
    let source = try RecordingSource(file, progress: progress.count(bytes:))
    if case .line(let line, let owner?) = moment, !DistinctNames.mayName(owner, file) {
      throw Failure("“\(owner):\(line)” is a line of another recording than \(source.name)")
    }
    var explainer = Explainer(policy)
    var clock = SessionClock()
    var hasEvents = false
    var (end, isPassed): (Int64, Bool) = (0, false)
    var count: Int64 = 0
    var latest: Int64?
    while let line = try source.next() {
      if case .event = line { hasEvents = true }
      if let last, source.line > last { break }
      if case .close(let time, _) = line { end = max(end, clock.elapsed(until: time)) }
      if case .open(_, let client, _, _, _, _, _) = line {
        (explainer, clock, count, latest) = (Explainer(policy), SessionClock(), 0, nil)
        if case .number(let number, let owner?) = moment, owner != client, !owner.hasPrefix("\(client)@") {
          throw Failure("“\(owner)#\(number)” is an event of another client than \(client) in \(source.name)")
        }
      }
      guard case .event(let event) = line else { continue }
      count += 1
      let elapsed = clock.advance(to: event.time)
      end = max(end, elapsed)
      if case .sinceStart(let span) = moment, elapsed >= span + 500 {
        isPassed = true
        break
      }
      if case .time(let time, let end) = moment {
        // A time in whole seconds that is before everything means something in its second.
        if explainer.lastNumber == nil, latest == nil { latest = event.time > time ? end ?? time : time }
        if event.time > latest ?? time {
          isPassed = true
          break
        }
      }
      explainer.add(event, number: Int64(source.line))
      if case .number(count, _) = moment {
        isPassed = true
        break
      }
    }
    if case .number(let number, _) = moment, !isPassed {
      throw Failure("\(source.name) has no event #\(number): its last one is #\(count)")
    }
    if let last, source.line < last { throw Failure("\(source.name) has only \(source.line) lines") }
    if case .sinceStart(let span) = moment, !isPassed, span >= end + 500 {
      throw Failure("\(source.name) ends at \(NumberText.sinceStart(end)), before \(NumberText.sinceStart(span))")
    }
    // There may be no event until the line of --at. A file without any is a mistake.
    guard hasEvents || source.line > last ?? .max else { throw Failure("\(source.name) has no events") }
    if case .time = moment, explainer.lastNumber == nil || !isPassed { warnOfTimeOfDay(source.name, invocation) }
    if !isPassed {
      try moment?.requirePast(now: UnixMicroseconds.now.rawValue, ", and after all events of \(source.name)")
    }
    return Explained(
      name: DistinctNames([file])[file], isFile: true, explainer: explainer)
  }

  /// Warns if --at is a time of day outside a recording, since it may have been meant as the time since the first event.
  private static func warnOfTimeOfDay(_ file: String, _ invocation: Invocation) {
    guard let text = invocation.command.text(.at), text.contains(":"), SpanReader.read(text) != nil else { return }
    Program.warn(
      "“\(text)” is a time of day, and not within \(file)",
      hint: "The time since its first event is written “+\(text)”.")
  }

  private static func explain(
    session: SessionID, of user: UInt32?, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explained {
    let (moment, clock) = (try invocation.moment(), try invocation.clock())
    let loaded = try SessionLoader.load(session, of: user, from: invocation.connect())
    return Explained(
      name: loaded.log.map { $0.session.suffixed(to: $0.client) } ?? loaded.name,
      explainer: try explainer(loaded, try loaded.eventCount(by: moment, clock), choice, invocation))
  }

  private static func explain(
    client: String, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explained {
    let user = try invocation.command.uid()
    let (wanted, clock) = (try invocation.moment(), try invocation.clock())
    if (try? FileStatus(client))?.kind == .directory { throw UnmatchedArguments.failure(client, takesFiles: true) }
    let daemon = try invocation.connect()
    let isOwn = !invocation.command.has(.policy) && !invocation.command.has(.set)
    if wanted == nil, isOwn, let explained = try explainSinceTurn(client, user, daemon) { return explained }
    let moment = try wanted?.resolved(for: client, user: user, by: clock, in: daemon)
    let state = try about(client, at: moment) { try daemon.state(of: client, user: user, at: moment) }
    let session = try SessionLoader.load(state.session, of: state.user, from: daemon)
    let count = try session.eventCount(by: .position(state.position))
    let explainer = try explainer(session, count, choice, invocation)
    if isOwn { try compare(explainer.state, state) }
    return Explained(name: state.session.suffixed(to: state.client), explainer: explainer)
  }

  private static func compare(_ state: FoldState, _ report: StateReport) throws {
    guard WatchedView(state) != report else { return }
    throw Failure(
      "scrollctl and the daemon disagree about the session \(report.session)",
      hint: "Compare their versions with “scrollctl --version” and “scrollctl statistics”.")
  }

  /// Explains the present state of an open session by what happened since its toolbar last turned.
  ///
  /// - Returns: `nil` when the daemon does not know the turn, so that the session has to be folded from its beginning.
  private static func explainSinceTurn(
    _ client: String, _ user: UInt32?, _ daemon: ServiceConnection
  ) throws -> Explained? {
    guard let explained = try about(client, at: nil, { try daemon.explainedState(of: client, user: user) }),
      explained.isOpen, case .at(let reported) = explained.lastTurn, let turn = try? Turn(encoded: reported.encoded)
    else { return nil }
    let state = explained.state
    var query = LogQuery()
    query.session = state.session
    query.user = state.user
    query.limit = 1
    guard case .open(_, _, _, let policy?) = try daemon.read(query).next().entry?.record else { return nil }
    query.after = reported.position
    query.limit = nil
    var explainer = Explainer(policy, after: turn)
    // The stream needs a connection of its own, since it is left before its end if the session goes on.
    for entry in try ServiceConnection(daemon.address).read(query) {
      let entry = try entry.get()
      if entry.position > state.position { break }
      if case .event(let event) = entry.record { explainer.add(event, number: entry.number ?? 0) }
    }
    try compare(explainer.state, state)
    return Explained(name: state.session.suffixed(to: state.client), explainer: explainer)
  }

  /// Creates an explainer that has read the first events of a logged session.
  private static func explainer(
    _ session: LoadedSession, _ count: Int, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> Explainer {
    var explainer = Explainer(try choice.policy(invocation.command, own: session.standardPolicy))
    for index in session.events.indices.prefix(count) {
      explainer.add(session.events[index], number: session.numbers[index])
    }
    return explainer
  }
}

extension NextElement<LogEntry> {
  fileprivate var entry: LogEntry? {
    if case .element(let entry) = self { entry } else { nil }
  }
}

extension WatchedView {
  /// Whether a state differs from what the daemon reports.
  fileprivate static func != (view: WatchedView, report: StateReport) -> Bool {
    FoldState.Field.watched.contains { view[$0] != report[$0] }
  }
}
