import Platform
import ScrollService

/// The program: its name, its messages and its exit status.
enum Program {
  static let name = "scrollctl"
  /// The version, which is also the daemon's: both are built together.
  static let version = Daemon.version

  /// Reports a problem that does not stop the verb.
  static func warn(_ message: String, hint: String? = nil) { printError(message, hint) }

  /// Prints lines to standard error as they are, such as a hint that is about no error.
  static func printNote(_ text: String) { write(text.split(separator: "\n").map(String.init)) }

  /// Prints a message to standard error, safe for a terminal.
  static func printError(_ message: String, _ hint: String? = nil) {
    let hints = hint?.split(separator: "\n").map { visible(String($0)) } ?? []
    write(["\(name): \(visible(message))"] + hints)
  }

  /// Prints lines to standard error. On a terminal, those that are too long are broken between words.
  private static func write(_ lines: [String]) {
    let terminal = BorrowedDescriptor.standardError
    let columns = terminal.isTerminal ? terminal.terminalSize?.columns : nil
    let text = lines.flatMap { message($0, columns: columns) }.map { $0 + "\n" }.joined()
    StandardError.write(terminal.isTerminal && !TextEncoding.localeIsUTF8 ? TextEncoding.ascii(text) : text)
  }

  /// Returns the lines of a message that fit into a terminal. A command that follows two spaces, as in
  /// “Start it:  systemctl start scrolld.socket”, stays whole, so that it can be copied.
  static func message(_ line: String, columns: Int?) -> [String] {
    guard let columns, line.columnWidth > columns else { return [line] }
    guard let command = line.firstRange(of: "  "), command.lowerBound > line.startIndex else {
      return wrapped(line, columns: columns)
    }
    return wrapped(String(line[..<command.lowerBound]), columns: columns) + [String(line[command.lowerBound...])]
  }
}

/// The exit status of the process.
enum ExitStatus: Int32, CaseIterable {
  /// The verb succeeded.
  case done = 0
  /// The verb failed, or a check found a problem.
  case failed = 1
  /// The command line is wrong.
  case usage = 2

  /// What the status means to a script.
  var meaning: String {
    switch self {
    case .done: "The verb did what you asked, and a check found nothing."
    case .failed:
      "The verb failed, wholly or in part, and standard error says why; or it found something: “check” what looks wrong, "
        + "“verify” damage, “fold --expect” a difference, “compare” what --expect-same or --max-flickers forbids. grep(1) "
        + "and diff(1) tell a finding from a failure by 1 and 2; scrollctl does not."
    case .usage: "The command line is wrong."
    }
  }
}
