import Platform
import ScrollClient
import ScrollModel
import ScrollService

extension Verb {
  private static let open = Option(name: "open", summary: "Only open sessions")
  private static let closed = Option(name: "closed", summary: "Only closed sessions")
  private static let sort = Option(
    name: "sort", value: "COLUMN",
    summary:
      "Sort by opened (newest first); duration, events, reach, flips or flickers (greatest first); or client, user, "
      + "application, title or policy [opened]")
  private static let reverse = Option(name: "reverse", short: "r", summary: "Reverse the order")
  private static let lines = Option(name: "lines", short: "n", value: "N", summary: "Only the first N of that order")

  static let sessions = Verb(
    name: "sessions", group: .observe,
    arguments: [Argument(name: "GLOB|SESSION", isRequired: false, repeats: true)],
    options: [SessionSources.since, SessionSources.until, .clock, open, closed, sort, reverse, lines, .uid],
    summary: "List the sessions of the daemon's log, open and closed, and what each comes to",
    details: [
      "GLOB is a pattern over client names; without any, the list has every session that you may see, the newest first. SESSION is an id, or a name such as reader/main@0123abcd. "
        + "An argument that selects nothing is an error; what the others select is listed all the same. "
        + "--since and --until select by when the daemon received something, as for “export”; with --by event-time, by the "
        + "clients' clocks, so that imported sessions are found by the day when they were recorded. Of a session whose client's "
        + "clock was set, only the times of its opening and its end count, not the least and the greatest of its events.",
      "OPENED is by the client's clock. DURATION is the time from the first event to the last or to the closing. REACH is how "
        + "much of the content was ever on screen. FLIPS counts how often the toolbar turned, FLICKERS the flips that undid "
        + "another one within 300 ms, as in “compare”. What is not known is shown as -. A + after the duration marks an open "
        + "session, a * after the id one whose beginning the log no longer has, or that was open where the log lost records. A terminal that is too narrow shows fewer "
        + "columns, and names the others at the end; “scrollctl sessions | cat” has all of them.",
      "The first call after the daemon's start may read the log once, which takes about 0.2 seconds for 10,000 sessions; later "
        + "calls are faster.",
      "With --json, each line has the session's position, title, application and reason of closing, too; times and spans are "
        + "in microseconds.",
    ],
    examples: [
      Example(arguments: "sessions", meaning: "List everything that was recorded."),
      Example(
        arguments: "sessions --since yesterday --sort flickers -n 5 'reader/*'",
        meaning: "Find the reader's sessions with the most flickers since yesterday."),
      Example(
        arguments: "reading $(scrollctl --json sessions --by event-time --since 2026-11-30 | jq -r .session)",
        meaning: "Measure the sessions that were recorded since that day, also those that were imported later."),
      Example(
        arguments: "export $(scrollctl --json sessions -n 1 | jq -r .session) > last.ndjson",
        meaning: "Export the newest session."),
    ]
  ) { invocation in
    let command = invocation.command
    if command.has(open), command.has(closed) { throw UsageError.conflict(open.name, closed.name) }
    let times = try SessionSources.times(invocation) ?? Int64.min...Int64.max
    let clock = try invocation.clock()
    let count = try command.integer(lines, in: 1...Int64(Int32.max)).map { Int($0) } ?? .max
    let order = try command.text(sort).map { text throws(UsageError) in try SessionOrder.named(text) } ?? .opened
    let user = try command.uid()
    let daemon = try invocation.connect()
    if !invocation.wantsJSON { OwnClientsHint.show(at: try invocation.command.address()) }
    var found: [SessionSummary] = []
    var table = SessionTable(style: invocation.style)
    // The rows of a whole table are made while the daemon sends the next sessions.
    let addsRows = count == .max && !invocation.wantsJSON
    var isDamaged = false
    let unmatched = UnmatchedArguments(command.arguments)
    let selection = SummarySelection(command.arguments)
    try daemon.everySession(clients: selection.clients, user: user) { summary in
      guard selection.selects(summary) else { return }
      unmatched.match(summary.session, of: summary.client)
      if command.has(open), summary.closed != nil { return }
      if command.has(closed), summary.closed == nil { return }
      let span = summary.span(by: clock)
      if span.last < times.lowerBound || span.first > times.upperBound { return }
      found.append(summary)
      if addsRows { table.add(summary) }
    } damaged: { message, isRepaired in
      Program.warn(message)
      if !isRepaired { isDamaged = true }
    }
    // Summaries are large, so their places are sorted.
    var places = found.indices.sorted { order.areInOrder(found[$0], found[$1]) }
    if command.has(reverse) { places.reverse() }
    let shown = places.prefix(count)
    if !invocation.wantsJSON {
      if !addsRows { for place in shown { table.add(found[place]) } }
      let layout = table.layout(addsRows ? Array(shown) : Array(shown.indices))
      try invocation.output.lines(layout.lines)
      try invocation.output.line("")
      var notes = [total(found, shown: shown.count)] + signs(shown.lazy.map { found[$0] })
      if !layout.leftOut.isEmpty, !shown.isEmpty { notes.append(missing(layout.leftOut, of: "sessions")) }
      try invocation.output.lines(notes.flatMap { wrapped($0, columns: invocation.style.columns ?? .max) })
    } else {
      for place in shown { try invocation.output.line(found[place].json) }
    }
    try invocation.output.flush()
    return unmatched.report(takesFiles: false) || isDamaged ? .failed : .done
  }

  /// What the signs in the table mean.
  private static func signs(_ shown: some Sequence<SessionSummary>) -> [String] {
    var notes: [String] = []
    if shown.contains(where: { $0.closed == nil && $0.duration != nil }) { notes.append("+ marks open sessions.") }
    if shown.contains(where: { !$0.isWhole }) {
      notes.append("* marks sessions of which the log may lack records.")
    }
    return notes
  }

  private static func total(_ found: [SessionSummary], shown: Int) -> String {
    let sessions = found.count == 1 ? "1 session" : "\(ProgressBar.grouped(Int64(found.count))) sessions"
    let open = found.count { $0.closed == nil }
    let rest = shown < found.count ? ", \(shown) shown" : ""
    let label = found.isEmpty ? "" : " OPENED is by the clients' clocks."
    return "\(sessions), \(open) open\(rest).\(label)"
  }
}

/// The sessions that arguments select: patterns over client names, ids, and names of sessions.
private struct SummarySelection {
  private let globs: [String]
  private let glob: Glob
  private let ids: Set<SessionID>
  private let names: [SessionName]

  init(_ arguments: [String]) {
    ids = Set(arguments.compactMap { SessionID($0) })
    names = arguments.compactMap { SessionName($0) }
    globs = arguments
    glob = Glob(arguments)
  }

  /// The patterns that the daemon may apply: none if it has to list all sessions.
  var clients: [String] { ids.isEmpty && names.isEmpty ? globs : [] }

  func selects(_ summary: SessionSummary) -> Bool {
    // The daemon has applied the patterns.
    if ids.isEmpty, names.isEmpty { return true }
    // A client's name may look like a session's.
    return ids.contains(summary.session) || names.contains { $0.names(summary) } || glob.matches(summary.client)
  }
}

extension SessionSummary {
  /// The times of its first and its last record by a clock.
  fileprivate func span(by clock: LogReading.Clock) -> (first: Int64, last: Int64) {
    switch clock {
    case .received: (received.rawValue, lastReceived.rawValue)
    case .eventTime: eventTimes
    }
  }

  /// The times of its opening and its end by the client's clock, the lesser one first: the clock may have been set back.
  private var eventTimes: (first: Int64, last: Int64) {
    let end = closed?.rawValue ?? opened.rawValue.addingReportingOverflow(duration ?? 0).partialValue
    return (min(opened.rawValue, end), max(opened.rawValue, end))
  }
}

/// An order of sessions.
enum SessionOrder: String, CaseIterable {
  case opened, client, user, application, title, duration, events, reach, flips, flickers, policy

  static func named(_ text: String) throws(UsageError) -> SessionOrder {
    if let order = SessionOrder(rawValue: text.lowercased()) { return order }
    let names = allCases.map(\.rawValue)
    let near = Suggestion.nearest(to: text, among: names).map { " (did you mean \($0)?)" } ?? ""
    throw .badValue(option: "sort", text: text, expected: "one of \(names.joined(separator: ", "))\(near)")
  }

  /// Whether a session comes before another one. Equal ones are in the order of their opening, the newest first.
  func areInOrder(_ first: SessionSummary, _ second: SessionSummary) -> Bool {
    switch self {
    case .opened: Self.descends(first.opened.rawValue, second.opened.rawValue, first, second)
    case .client: Self.ascends(first.client, second.client, first, second)
    case .user: Self.descends(-Int64(first.user), -Int64(second.user), first, second)
    case .application: Self.ascends(first.application, second.application, first, second)
    case .title: Self.ascends(first.title, second.title, first, second)
    case .duration: Self.descends(first.duration ?? -1, second.duration ?? -1, first, second)
    case .events: Self.descends(first.events, second.events, first, second)
    case .reach: Self.descends(first.reach ?? -1, second.reach ?? -1, first, second)
    case .flips: Self.descends(first.flips ?? -1, second.flips ?? -1, first, second)
    case .flickers: Self.descends(first.flickers ?? -1, second.flickers ?? -1, first, second)
    case .policy: Self.ascends(first.policy, second.policy, first, second)
    }
  }

  private static func descends<Key: Comparable>(
    _ a: Key, _ b: Key, _ first: SessionSummary, _ second: SessionSummary
  ) -> Bool {
    a == b ? first.position > second.position : a > b
  }

  /// Texts that are absent come last.
  private static func ascends(_ a: String?, _ b: String?, _ first: SessionSummary, _ second: SessionSummary) -> Bool {
    if a == b { return first.position > second.position }
    guard let a else { return false }
    guard let b else { return true }
    return a < b
  }
}
