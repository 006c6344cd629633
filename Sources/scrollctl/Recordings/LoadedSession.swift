// A session, read as a whole.

import ScrollClient
import ScrollJSON
import ScrollModel

/// A session of a recording or of the daemon's log, read as a whole: for what looks at it more than once.
struct LoadedSession {
  /// Whose session it is, and where its events stand in the daemon's log.
  struct LogPlace: Equatable {
    var client: String
    var user: UInt32
    var session: SessionID
    /// For each event its position.
    var positions: [Position] = []
    /// For each event when the daemon got it, microseconds since the Unix epoch.
    var received: [Int64] = []
  }

  /// The file's name without its folder and `.ndjson`, or the client's.
  var name: String
  /// What is shown in it; `nil` when nobody says.
  var title: String?
  /// The policy that was in force, where that is told.
  var policy: Policy?
  var events: [Event] = []
  /// For each event its line in the file, or its number in the session, 1 for the first.
  var numbers: [Int64] = []
  /// Where it stands in the daemon's log; `nil` for a recording.
  var log: LogPlace?

  /// What an event is called: `article-read:164` by its line in a file, `reader/main#164` by its number in the log.
  func label(_ event: Int) -> String { "\(name)\(log == nil ? ":" : "#")\(numbers[event])" }

  /// The policy that it is folded with when nobody says: a logged session's own, the default one for a recording, for
  /// that is there to be tried with any.
  ///
  /// - Throws: ``Failure`` when the daemon doesn't tell.
  func standardPolicy() throws -> Policy {
    guard let log else { return .safari }
    if let policy { return policy }
    throw Failure("the daemon doesn't tell the policy of the session \(log.session)", hint: "Give --policy NAME.")
  }

  /// Whether an event had happened by a moment of the log.
  func had(_ event: Int, by moment: LogMoment?) -> Bool {
    guard let log else { return true }
    switch moment {
    case nil: return true
    case .position(let last): return log.positions[event] <= last
    case .time(let last): return log.received[event] <= last.rawValue
    }
  }

  /// Reads all sessions of a file.
  ///
  /// - Throws: ``Failure`` that names the first bad line, or says that there is no event at all.
  static func load(file path: String) throws -> [LoadedSession] {
    let source = try RecordingSource(path)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let file = name.hasSuffix(".ndjson") ? String(name.dropLast(".ndjson".count)) : name
    var collector = Collector(file: file)
    while let line = try source.next() { collector.take(line, number: source.line) }
    guard !collector.isEmpty else { throw Failure("\(source.name) holds no events") }
    return collector.withEvents
  }

  /// The first session of a recording that is part of the program.
  static func embedded(_ text: [UInt8], name: String) throws -> LoadedSession {
    var collector = Collector(file: name)
    for (number, line) in try RecordingReader.read(text) { collector.take(line, number: number) }
    guard let session = collector.withEvents.first else { throw Failure("\(name) holds no events") }
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
      case .open(_, _, _, let title, let policy, _):
        sessions.append(LoadedSession(name: file, title: title, policy: policy))
        isOpen = true
      case .event(let event):
        if !isOpen { sessions.append(LoadedSession(name: file)) }
        isOpen = true
        sessions[sessions.count - 1].events.append(event)
        sessions[sessions.count - 1].numbers.append(Int64(number))
      case .close: isOpen = false
      case .request, .response: break
      }
    }
  }
}
