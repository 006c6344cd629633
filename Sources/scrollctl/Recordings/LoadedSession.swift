import JSON
import ScrollClient
import ScrollJSON
import ScrollModel

/// A complete session of a recording or of the daemon's log.
struct LoadedSession {
  /// A session's owner and the places of its events in the daemon's log.
  struct LogPlace: Equatable {
    /// The session's opening.
    struct Opening: Equatable {
      var position: Position
      /// When it was opened by the client's clock, in microseconds since the Unix epoch.
      var time: Int64
      /// When the daemon received the opening, in microseconds since the Unix epoch.
      var received: Int64
    }

    var client: String
    var user: UInt32
    var session: SessionID
    /// The opening; `nil` where nobody has looked for it.
    var opening: Opening?
    /// The position of each event.
    var positions: [Position] = []
    /// When the daemon received each event, in microseconds since the Unix epoch.
    var received: [Int64] = []
    /// When the daemon received its first and its last record.
    private(set) var firstReceived: Int64 = .max
    private(set) var lastReceived: Int64 = .min

    init(client: String, user: UInt32, session: SessionID) {
      self.client = client
      self.user = user
      self.session = session
    }

    mutating func countRecord(received: Int64) {
      firstReceived = min(firstReceived, received)
      lastReceived = max(lastReceived, received)
    }
  }

  /// The file's name without directory and `.ndjson`, or the client's name. Those of several sessions can be equal, unless they
  /// are ``Swift/Array/distinctlyNamed``.
  var name: String
  /// The title of what the client showed; `nil` when unknown.
  var title: String?
  /// The session's policy; `nil` when unknown.
  var policy: Policy?
  var events: [Event] = []
  /// The time of its closing by the client's clock; `nil` without one.
  var closed: Int64?
  /// The line in the file, or the number in the session, of each event. Both count from 1.
  var numbers: [Int64] = []
  /// The path of the recording, as the command line gives it; `nil` for a session of the log.
  var path: String?
  /// The line on which it begins in the file; `nil` for a session of the log.
  var line: Int?
  /// The session's place in the daemon's log; `nil` for a recording.
  var log: LogPlace?

  /// Returns the name of an event: `article-read:164` by its line in a file, `reader/main#164` by its number in the log.
  func label(_ event: Int) -> String { label(number: numbers[event]) }

  /// Returns the name of an event without the session's: `:164` or `#164`.
  func shortLabel(_ event: Int) -> String { shortLabel(number: numbers[event]) }

  /// Returns the name of an event from its line or number.
  func label(number: Int64) -> String { name + shortLabel(number: number) }

  private func shortLabel(number: Int64) -> String { "\(log == nil ? ":" : "#")\(number)" }

  /// Returns the policy to fold the session with unless the command line names one: a logged session's own, or the default
  /// policy for a recording.
  ///
  /// - Throws: ``Failure`` when the daemon did not send the policy.
  func standardPolicy() throws -> Policy {
    guard let log else { return .safari }
    if let policy { return policy }
    throw Failure(
      "the daemon did not send the policy of the session \(log.session)", hint: "Choose a policy with --policy NAME.")
  }

  /// Reads all sessions of a file.
  ///
  /// - Throws: ``Failure`` that names the first bad line, or when the file has no events.
  static func load(file path: String, progress: ReadProgress? = nil) throws -> [LoadedSession] {
    let source = try RecordingSource(path, progress: progress?.count(bytes:))
    var collector = Collector(file: DistinctNames([path])[path])
    while let line = try source.next() { collector.take(line, number: source.line) }
    guard !collector.isEmpty else { throw Failure("\(source.name) has no events") }
    return collector.withEvents.map { session in
      var session = session
      session.path = path
      return session
    }
  }

  /// Returns the first session of a recording that is built into the program.
  static func embedded(_ text: [UInt8], name: String) throws -> LoadedSession {
    var collector = Collector(file: name)
    for (number, line) in try RecordingReader.read(text) { collector.take(line, number: number) }
    guard let session = collector.withEvents.first else { throw Failure("\(name) has no events") }
    return session
  }

  /// Collects the sessions of a recording from its lines.
  private struct Collector {
    let file: String
    private var sessions: [LoadedSession] = []
    private var isOpen = false

    init(file: String) { self.file = file }

    var withEvents: [LoadedSession] { sessions.filter { !$0.events.isEmpty } }
    var isEmpty: Bool { withEvents.isEmpty }

    mutating func take(_ line: RecordingLine, number: Int) {
      switch line {
      case .open(_, _, _, let title, let policy, _, _):
        sessions.append(LoadedSession(name: file, title: title, policy: policy, line: number))
        isOpen = true
      case .event(let event):
        if !isOpen { sessions.append(LoadedSession(name: file, line: number)) }
        isOpen = true
        sessions[sessions.count - 1].events.append(event)
        sessions[sessions.count - 1].numbers.append(Int64(number))
      case .close(let time, _):
        if isOpen { sessions[sessions.count - 1].closed = time }
        isOpen = false
      case .request, .response: break
      }
    }
  }
}

extension SessionID {
  /// Returns a client's name with the beginning of the id: `reader/main@0123abcd`.
  func suffixed(to client: String) -> String { "\(client)@\(description.prefix(8))" }
}

extension LoadedSession {
  /// Writes the place of an event in the log or in a file.
  func writePlace(of event: Int, to writer: inout JSONWriter) {
    if let log {
      writer.member("client", log.client)
      writer.member("user", log.user)
      writer.member("session", log.session)
      writer.member("number", numbers[event])
      writer.member("position", log.positions[event])
    } else {
      writer.member("file", path ?? name)
      writer.member("line", numbers[event])
    }
  }
}

extension [LoadedSession] {
  /// The sessions with names by which they can be told apart: files of the same name with their directories, and a client's
  /// sessions with the beginning of their ids, as in `reader/main@0123abcd`.
  var distinctlyNamed: [LoadedSession] {
    let files = DistinctNames(compactMap(\.path))
    let clients = Dictionary(grouping: compactMap(\.log), by: \.client).mapValues { Set($0.map(\.session)).count }
    return map { session in
      var session = session
      if let path = session.path { session.name = files[path] }
      if let log = session.log, clients[log.client] ?? 0 > 1 { session.name = log.session.suffixed(to: log.client) }
      return session
    }
  }
}
