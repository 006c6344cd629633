// How text looks on the terminal it is printed to.

import Platform

/// How text looks where it is printed: plain, or in colours on a terminal that has them.
struct Style: Sendable {
  /// Whether it is printed to a terminal.
  var isTerminal = false
  /// Whether it has colours.
  var hasColors = false
  /// The terminal's width in columns; `nil` where there is none.
  var columns: Int?
  /// The terminal's height in rows; `nil` where there is none.
  var rows: Int?

  /// Plain text.
  init() {}

  /// What a descriptor's terminal shows; `NO_COLOR` and `TERM=dumb` are minded.
  init(_ descriptor: BorrowedDescriptor, colors: Bool) {
    isTerminal = descriptor.isTerminal
    guard isTerminal else { return }
    let terminal = CurrentProcess.variable("TERM") ?? "dumb"
    hasColors = colors && terminal != "dumb" && CurrentProcess.variable("NO_COLOR") == nil
    let size = descriptor.terminalSize
    columns = size?.columns
    rows = size?.rows
  }

  func bold(_ text: String) -> String { paint(text, "1") }
  func dim(_ text: String) -> String { paint(text, "2") }
  func red(_ text: String) -> String { paint(text, "31") }
  func green(_ text: String) -> String { paint(text, "32") }
  func yellow(_ text: String) -> String { paint(text, "33") }
  func cyan(_ text: String) -> String { paint(text, "36") }

  private func paint(_ text: String, _ code: String) -> String {
    hasColors ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
