// What the daemon tells whoever runs it.

import Glibc

/// Takes what the daemon has to say to whoever runs it: standard error, with priorities where the journal reads it.
public struct Journal: Sendable {
  /// How much a message matters, by syslog(3).
  public enum Priority: Int32, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  private let write: @Sendable (Priority, String) -> Void

  /// A journal that gives its messages to a closure.
  public init(_ write: @escaping @Sendable (Priority, String) -> Void) {
    self.write = write
  }

  /// Standard error. Lines get sd-daemon(3)'s priority prefix when the journal is behind it.
  public static let standardError: Journal = {
    let isJournal = getenv("JOURNAL_STREAM") != nil
    return Journal { priority, message in
      // One line a message, whatever a client's name or an error text brings along.
      let prefix = isJournal ? "<\(priority.rawValue)>" : "scrolld: "
      let text = String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
      StandardError.write(prefix + text + "\n")
    }
  }()

  /// Says something.
  public func log(_ priority: Priority, _ message: String) { write(priority, message) }
}
