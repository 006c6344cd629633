import Platform
import ScrollJSON
import ScrollLog
import ScrollModel

/// Measures the size of an event in the log before and after packing, with the overhead shared among the events.
struct SizeBenchmark {
  private let recordings: String
  private let parent: String

  init(_ arguments: Arguments) throws {
    var arguments = arguments
    recordings = arguments.text("--recordings") ?? "Tests/Fixtures/recordings"
    parent = arguments.text("--state-directory") ?? "/var/tmp"
    try arguments.finish()
  }

  init(recordings: String, in parent: String) {
    self.recordings = recordings
    self.parent = parent
  }

  private static let eventsPerCommit = [1, 8]

  func run() throws {
    let (sessions, events) = try load()
    print("size: \(events) events of \(sessions.count) sessions")
    for size in Self.eventsPerCommit {
      let (before, packed) = try bytes(sessions, eventsPerCommit: size)
      print(
        "size, events per commit \(size): \(tenths(before, of: events)) bytes per event,",
        "\(tenths(packed, of: events)) packed")
    }
  }

  /// Measures packed recordings for the table, next to their text as gzip(1) compresses it.
  func rows() throws -> [TableRow] {
    let (sessions, events) = try load()
    let compressed = try gzippedBytes()
    return try Self.eventsPerCommit.map { size in
      let packed = try bytes(sessions, eventsPerCommit: size).packed
      var row = TableRow(
        figure: "packed recordings, \(size == 1 ? "one event" : "\(size) events") a commit", unit: "bytes an event",
        values: [Double(packed) / Double(events)], goal: .atMost(compressed == nil ? 4.7 : 0.55))
      row.other = compressed.map { ("gzip -9", [Double($0) / Double(events)]) }
      return row
    }
  }

  private func load() throws -> (sessions: [RecordedSession], events: Int) {
    let sessions = try read()
    let events = sessions.reduce(0) { $0 + $1.events.count }
    guard events > 0 else { throw Arguments.Problem("no recordings with events in “\(recordings)”") }
    return (sessions, events)
  }

  /// Returns the size of all recordings in one file after `gzip -9`; `nil` if gzip is not installed.
  private func gzippedBytes() throws -> Int64? {
    guard let program = ["/usr/bin/gzip", "/bin/gzip"].first(where: Files.isExecutable) else { return nil }
    let directory = try BenchmarkDirectory(in: parent)
    let path = directory.path + "/recordings"
    defer { directory.remove(["recordings", "recordings.gz"]) }
    var text: [UInt8] = []
    for name in try names() { text += try TextFile.read(recordings + "/" + name) }
    try SystemError.wrapping("write", path) { [text] () throws(Errno) in
      let file = try FileDescriptor(opening: path, [.writeOnly, .create, .exclusive])
      try text.withUnsafeBytes { bytes in Result { () throws(Errno) in try file.borrowed.write(bytes) } }.get()
    }
    let process = try SystemError.wrapping("start", program) { () throws(Errno) in
      try ChildProcess(starting: program, arguments: ["-9", path])
    }
    let end = try SystemError.wrapping("wait for", program) { () throws(Errno) in try process.wait() }
    guard end == .status(0) else { throw Arguments.Problem("gzip ended with \(end)") }
    return try FileStatus(path + ".gz").size
  }

  private func names() throws -> [String] {
    try Directory.names(in: recordings).sorted().filter { $0.hasSuffix(".ndjson") }
  }

  /// A session as it was recorded.
  private struct RecordedSession {
    var opening: Opening
    var events: [Event] = []
    var closing: Closing?
  }

  private func read() throws -> [RecordedSession] {
    var sessions: [RecordedSession] = []
    for name in try names() {
      for (number, line) in try RecordingReader.read(TextFile.read(recordings + "/" + name)) {
        if case .open(let time, let client, let application, let title, let policy, _, _) = line {
          sessions.append(
            RecordedSession(
              opening: Opening(
                client: ClientID(user: 1000, name: client), time: time, application: application, title: title,
                policy: policy ?? .safari)))
          continue
        }
        guard !sessions.isEmpty else { throw RecordingError(line: number, reason: "no open line before this one") }
        switch line {
        case .event(let event): sessions[sessions.count - 1].events.append(event)
        case .close(let time, _): sessions[sessions.count - 1].closing = Closing(time: time, reason: .asked)
        case .open, .request, .response: break
        }
      }
    }
    return sessions
  }

  /// Writes a segment with the sessions, one after the other, seals it and packs it.
  ///
  /// - Returns: The size of its file before and after packing.
  private func bytes(
    _ sessions: [RecordedSession], eventsPerCommit: Int
  ) throws -> (before: Int64, packed: Int64) {
    let directory = try BenchmarkDirectory(in: parent)
    defer { directory.remove() }
    let options = LogOptions(syncMode: .never, boot: BootID(high: 0, low: 1))
    let log = try EventLog.open(directory: directory.state, fileSystem: POSIXFileSystem(), options: options)
    for (index, session) in sessions.enumerated() {
      try write(session, SessionID(high: .random(in: 1...(.max)), low: UInt64(index)), to: log, eventsPerCommit)
    }
    let before = log.writer.status.segmentBytes
    try log.writer.roll(log.projection.checkpoint())
    let packed = try log.upkeep.pack(log.segments.firstPosition)
    try log.writer.stop()
    guard let packed else { throw SystemError("find", directory.state, .noSuchFile) }
    return (before, packed)
  }

  private func write(_ session: RecordedSession, _ id: SessionID, to log: OpenedLog, _ eventsPerCommit: Int) throws {
    try commit(to: log, received: session.opening.time) { $0.append(session.opening, of: id) }
    for start in stride(from: 0, to: session.events.count, by: eventsPerCommit) {
      let events = session.events[start...].prefix(eventsPerCommit)
      try commit(to: log, received: events.last?.time ?? session.opening.time) { builder in
        builder.beginRun(id, firstNumber: Int64(start) + 1)
        for event in events { builder.append(event) }
        builder.endRun()
      }
    }
    guard let closing = session.closing else { return }
    try commit(to: log, received: closing.time) { $0.append(closing, of: id) }
  }

  private func commit(to log: OpenedLog, received: Int64, _ fill: (inout BlockBuilder) -> Void) throws {
    var builder = BlockBuilder(nextPosition: log.nextPosition, received: log.projection.received)
    fill(&builder)
    guard let block = builder.finish(received: received) else { return }
    try log.writer.write(block)
    var observer = NoObserver()
    try log.projection.apply(block.view, observer: &observer)
  }

  /// Returns a quotient with one decimal.
  private func tenths(_ bytes: Int64, of count: Int) -> Double { (10 * Double(bytes) / Double(count)).rounded() / 10 }
}
