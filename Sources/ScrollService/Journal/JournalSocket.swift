import CSystemd
import Platform

/// A service's connection to the system's journal, for entries with fields, through libsystemd.
package enum JournalSocket {
  /// Whether standard error is the socket that `$JOURNAL_STREAM` names (systemd.exec(5)), and so is connected to the journal.
  ///
  /// The variable alone proves nothing: the children of a service inherit it, whatever their standard error is.
  package static var isStandardError: Bool {
    guard let named = CurrentProcess.variable("JOURNAL_STREAM"), let status = try? FileStatus(.standardError) else {
      return false
    }
    return named == "\(status.device):\(status.inode)"
  }

  /// Sends an entry with sd_journal_sendv(3).
  ///
  /// - Returns: Whether the journal accepted the entry.
  static func send(_ entry: JournalEntry, from location: CodeLocation) -> Bool {
    send(entry.assignments(from: location))
  }

  /// Sends an entry that consists of assignments such as `MESSAGE=text`.
  ///
  /// - Returns: Whether the journal accepted the entry.
  package static func send(_ assignments: [String]) -> Bool {
    let assignments = assignments.map { Array($0.utf8) }
    let ends = assignments.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    var bytes = assignments.flatMap { $0 }
    let result = bytes.withUnsafeMutableBytes { bytes in
      let fields = zip(ends, ends.dropFirst()).map { start, end in
        iovec(iov_base: bytes.baseAddress.map { $0 + start }, iov_len: end - start)
      }
      return sd_journal_sendv(fields, Int32(fields.count))
    }
    return result >= 0
  }
}
