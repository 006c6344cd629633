// What a verb is to look at: a recording, or a session of the daemon's log.

import Platform
import ScrollModel

/// What a verb is to look at: a recording, or a session of the daemon's log.
enum Subject: Equatable {
  /// A recording in a file, or on standard input for `-`.
  case file(String)
  /// A session of the log.
  case session(SessionID)
  /// A client's newest session in the log.
  case client(String)

  /// What an argument means. What is a file is a file, and so is what is written as one; else 32 hexadecimal digits are a
  /// session, and the rest are clients.
  init(_ argument: String) {
    if argument == "-" || Self.isFile(argument) || Self.isWrittenAsFile(argument) {
      self = .file(argument)
    } else if let session = SessionID(argument) {
      self = .session(session)
    } else {
      self = .client(argument)
    }
  }

  private static func isFile(_ path: String) -> Bool {
    (try? FileStatus(path)).map { $0.kind != .directory } ?? false
  }

  /// Whether somebody who means a client would not write so: a file that isn't there is to be told by its name.
  private static func isWrittenAsFile(_ argument: String) -> Bool {
    argument.hasSuffix(".ndjson") || ["/", "./", "../"].contains { argument.hasPrefix($0) }
  }
}
