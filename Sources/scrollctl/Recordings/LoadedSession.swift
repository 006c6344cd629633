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
    var sessions: [LoadedSession] = []
    var isOpen = false
    while let line = try source.next() {
      switch line {
      case .open(_, _, _, let title):
        sessions.append(LoadedSession(file: file, title: title))
        isOpen = true
      case .event(let event):
        if !isOpen { sessions.append(LoadedSession(file: file)) }
        isOpen = true
        sessions[sessions.count - 1].events.append(event)
        sessions[sessions.count - 1].lines.append(source.line)
      case .close: isOpen = false
      case .request, .response: break
      }
    }
    sessions.removeAll { $0.events.isEmpty }
    if sessions.isEmpty { throw Failure("\(source.name) holds no events") }
    return sessions
  }
}
