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

  func run() throws {
    let sessions = try read()
    let events = sessions.reduce(0) { $0 + $1.events.count }
    guard events > 0 else { throw Arguments.Problem("no recordings with events in “\(recordings)”") }
    print("size: \(events) events of \(sessions.count) sessions")
    for size in [1, 8] {
      let (before, packed) = try bytes(sessions, eventsPerCommit: size)
      print(
        "size, events per commit \(size): \(tenths(before, of: events)) bytes per event,",
        "\(tenths(packed, of: events)) packed")
    }
  }

  /// A session as it was recorded.
  private struct RecordedSession {
    var opening: Opening
    var events: [Event] = []
    var closing: Closing?
  }

  private func read() throws -> [RecordedSession] {
    var sessions: [RecordedSession] = []
    for name in try Directory.names(in: recordings).sorted() where name.hasSuffix(".ndjson") {
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
