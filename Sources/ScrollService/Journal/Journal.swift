// What the daemon tells whoever runs it.

import Glibc

/// Takes what the daemon has to say to whoever runs it: to the journal with its fields, else to standard error.
public struct Journal: Sendable {
  private let write: @Sendable (JournalEntry, CodeLocation) -> Void

  /// A journal that gives its entries to a closure.
  init(_ write: @escaping @Sendable (JournalEntry, CodeLocation) -> Void) {
    self.write = write
  }

  /// The system's journal when standard error is connected to it, else standard error, a line an entry.
  public static let standardError: Journal = {
    guard JournalSocket.isStandardError else {
      return Journal { entry, _ in
        if entry.kind.priority < .debug { StandardError.write("scrolld: \(entry.line)\n") }
      }
    }
    return Journal { entry, location in
      // Where the journal takes no entries it still takes lines, with sd-daemon(3)'s prefix for the priority.
      if JournalSocket.send(entry, from: location) { return }
      StandardError.write("<\(entry.kind.priority.rawValue)>\(entry.line)\n")
    }
  }()

  /// Says something.
  func log(
    _ entry: JournalEntry, file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    write(entry, CodeLocation(file: file, line: line, function: function))
  }
}
