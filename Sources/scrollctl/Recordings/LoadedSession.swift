// A session of a recording, read as a whole.

import ScrollJSON
import ScrollModel

/// A session of a recording, read as a whole: for what looks at it more than once.
struct LoadedSession {
  /// The file's name without its folder and `.ndjson`.
  var file: String
  /// What the recording calls it; `nil` when it doesn't.
  var title: String?
  var events: [Event] = []
  /// For each event its line in the file, 1 for the first.
  var lines: [Int] = []

  /// Reads all sessions of a file.
  ///
  /// - Throws: ``Failure`` that names the first bad line, or says that there is no event at all.
  static func load(_ path: String) throws -> [LoadedSession] {
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
      case .open(_, _, _, let title):
        sessions.append(LoadedSession(file: file, title: title))
        isOpen = true
      case .event(let event):
        if !isOpen { sessions.append(LoadedSession(file: file, title: nil)) }
        isOpen = true
        sessions[sessions.count - 1].events.append(event)
        sessions[sessions.count - 1].lines.append(number)
      case .close: isOpen = false
      case .request, .response: break
      }
    }
  }
}
