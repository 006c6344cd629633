import ScrollClient
import ScrollJSON
import ScrollModel

/// One pass over files and the log, which hands each session's events to a sink.
struct SessionPass<Sink: SessionSink> {
  /// A session of the log that has been seen.
  private enum Seen {
    case taken(Int64)
    case ignored
  }

  let sink: Sink
  private let progress: ReadProgress
  /// The arguments that have selected no session of the log yet.
  private let unmatched: UnmatchedArguments
  /// The sessions that were handed over completely.
  private(set) var sessions = 0
  private(set) var leftOut = LeftOut()

  private var lastKey: Int64 = 0
  private var events: [Int64: Int64] = [:]
  private var seen: [SessionID: Seen] = [:]

  init(sink: Sink, progress: ReadProgress, unmatched: UnmatchedArguments) {
    self.sink = sink
    self.progress = progress
    self.unmatched = unmatched
  }

  // MARK: Files

  /// Reads all sessions of a file.
  ///
  /// - Parameter file: The name of its sessions.
  /// - Throws: ``Failure`` that names the first bad line, or when the file has no events.
  mutating func read(file path: String, as file: String) throws {
    let source = try RecordingSource(path)
    var key: Int64?
    var hasEvents = false
    while let line = try source.next() {
      switch line {
      case .open(let time, let client, let application, let title, _, let id, _):
        if let key { try end(key, SessionEnd()) }
        key = try begin {
          SessionHead(
            key: $0, name: file, path: path, line: source.line, client: client, id: id, application: application,
            title: title, policy: .safari, opened: time)
        }
      case .event(let event):
        let open = try key ?? begin { SessionHead(key: $0, name: file, path: path, line: source.line, policy: .safari) }
        key = open
        hasEvents = true
        try add(event, EventPlace(number: Int64(source.line)), to: open)
      case .close(let time, let reason):
        if let key { try end(key, SessionEnd(closed: time, reason: reason)) }
        key = nil
      case .request, .response: break
      }
    }
    if let key { try end(key, SessionEnd()) }
    if !hasEvents { throw Failure("\(source.name) has no events") }
  }

  // MARK: The log

  /// Reads the selected sessions of the log.
  ///
  /// - Returns: Whether the log could be read to its end, and no session has lost events; if not, the pass is useless.
  mutating func readLog(from daemon: ServiceConnection, _ selection: LogSelection) throws -> Bool {
    if selection.isEmpty { return true }
    var query = LogQuery()
    query.user = selection.user
    query.session = selection.only
    var gaps = selection.gaps[...]
    while true {
      do {
        for entry in try daemon.read(query) {
          guard try take(try entry.get(), selection) else { return false }
        }
        break
      } catch let error as ServiceError {
        guard case .refused(.logDamaged) = error else { throw error }
        // A selection that knows the damage reads on behind it.
        guard selection.isComplete, let gap = gaps.popFirst() else {
          if selection.isComplete { throw error }
          return false
        }
        guard let next = gap.next else { break }
        query.after = next - 1
      }
    }
    // In the order in which they began, which a dictionary doesn't keep.
    let open = seen.values.compactMap { if case .taken(let key) = $0 { key } else { nil } }.sorted()
    for key in open { try end(key, SessionEnd()) }
    return true
  }

  /// Takes a record.
  ///
  /// - Returns: Whether it is its session's next one.
  private mutating func take(_ entry: LogEntry, _ selection: LogSelection) throws -> Bool {
    switch seen[entry.session] {
    case .taken(let key):
      if let number = entry.number, number != events[key, default: 0] + 1 { return false }
      try take(entry, key)
    case .ignored: break
    case nil: try meet(entry, selection)
    }
    return true
  }

  private mutating func take(_ entry: LogEntry, _ key: Int64) throws {
    switch entry.record {
    case .event(let event):
      let place = EventPlace(number: entry.number ?? 0, position: entry.position, received: entry.received.rawValue)
      try add(event, place, to: key)
    case .close(let time, let reason):
      try end(key, SessionEnd(closed: time.rawValue, reason: reason))
      seen[entry.session] = nil
    case .open, .request, .response: break
    }
  }

  /// Decides about a session from its first record.
  private mutating func meet(_ entry: LogEntry, _ selection: LogSelection) throws {
    guard selection.wants(entry.session, of: entry.client) else {
      seen[entry.session] = .ignored
      return
    }
    unmatched.match(entry.session, of: entry.client)
    guard case .open(let time, let application, let title, let policy) = entry.record else {
      seen[entry.session] = .ignored
      leftOut.trimmed += 1
      return
    }
    guard let policy else {
      throw Failure("the daemon did not send the policy of the session \(entry.session)")
    }
    let key = try begin {
      SessionHead(
        key: $0, name: entry.client, client: entry.client, user: entry.user, id: entry.session,
        application: application,
        title: title, policy: policy, opened: time.rawValue)
    }
    seen[entry.session] = .taken(key)
  }

  // MARK: The sink

  private mutating func begin(_ head: (Int64) -> SessionHead) throws -> Int64 {
    lastKey += 1
    events[lastKey] = 0
    try sink.begin(head(lastKey))
    return lastKey
  }

  private mutating func add(_ event: Event, _ place: EventPlace, to key: Int64) throws {
    events[key, default: 0] += 1
    try progress.count()
    try sink.add(event, at: place, to: key)
  }

  private mutating func end(_ key: Int64, _ end: SessionEnd) throws {
    if events.removeValue(forKey: key) ?? 0 > 0 {
      sessions += 1
      try sink.end(key, end)
    } else {
      leftOut.empty += 1
      try sink.discard(key)
    }
  }
}
