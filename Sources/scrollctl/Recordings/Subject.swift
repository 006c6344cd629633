import Platform
import ScrollModel

/// The subject of a verb: a recording, or a session of the daemon's log.
enum Subject: Equatable {
  /// A recording in a file, or on standard input for `-`.
  case file(String)
  /// A session of the log.
  case session(SessionID)
  /// A client's newest session in the log.
  case client(String)

  /// Creates the subject of an argument. An existing file, or a name that looks like one, is a file. Otherwise 32 hexadecimal
  /// digits are a session, and anything else is a client.
  init(_ argument: String) {
    if argument == "-" || Self.isFile(argument) || Self.looksLikeFile(argument) {
      self = .file(argument)
    } else if let session = SessionID(argument) {
      self = .session(session)
    } else {
      self = .client(argument)
    }
  }

  /// The path, if it is a file.
  var file: String? { if case .file(let path) = self { path } else { nil } }

  private static func isFile(_ path: String) -> Bool {
    (try? FileStatus(path)).map { $0.kind != .directory } ?? false
  }

  /// Whether an argument looks like a file, so that an error about a missing file can name it.
  private static func looksLikeFile(_ argument: String) -> Bool {
    argument.hasSuffix(".ndjson") || ["/", "./", "../"].contains { argument.hasPrefix($0) }
  }
}
