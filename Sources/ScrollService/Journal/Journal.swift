import Platform

/// The daemon's messages to the administrator, written to the system's journal with their fields, or else to standard
/// error.
public struct Journal: Sendable {
  private let write: @Sendable (JournalEntry, CodeLocation) -> Void

  /// Creates a journal that passes its entries to a closure.
  init(_ write: @escaping @Sendable (JournalEntry, CodeLocation) -> Void) {
    self.write = write
  }

  /// The system's journal if standard error is connected to it, otherwise standard error with one line per entry.
  public static let standardError: Journal = {
    guard JournalSocket.isStandardError else {
      return Journal { entry, _ in
        if entry.kind.priority < .debug { StandardError.write("scrolld: \(entry.line)\n") }
      }
    }
    return Journal { entry, location in
      // If the journal's socket refuses the entry, standard error still accepts a line, with sd-daemon(3)'s priority
      // prefix.
      if JournalSocket.send(entry, from: location) { return }
      StandardError.write("<\(entry.kind.priority.rawValue)>\(entry.line)\n")
    }
  }()

  /// Writes an entry.
  func log(
    _ entry: JournalEntry, file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    write(entry, CodeLocation(file: file, line: line, function: function))
  }
}

/// The place in the daemon's source that an entry of the journal comes from.
struct CodeLocation: Sendable {
  let file: StaticString
  let line: Int
  let function: StaticString
}
