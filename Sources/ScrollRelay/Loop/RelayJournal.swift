import Platform
import ScrollService

/// The relay's messages: to the journal with fields, or else to standard error.
public struct RelayJournal: Sendable {
  /// How important a message is, as in syslog(3).
  enum Priority: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case information = 6
  }

  private let isConnected = JournalSocket.isStandardError

  /// Creates the journal of the process.
  public init() {}

  /// Writes a message.
  ///
  /// - Parameter fields: More fields, with names in capital letters.
  func log(_ priority: Priority, _ message: String, _ fields: [(name: String, value: String)] = []) {
    if isConnected {
      let assignments =
        ["MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=scroll-relay"]
        + fields.map { "\($0.name)=\($0.value)" }
      if JournalSocket.send(assignments) { return }
      StandardError.write("<\(priority.rawValue)>\(message)\n")
    } else {
      StandardError.write("scroll-relay: \(message)\n")
    }
  }
}
