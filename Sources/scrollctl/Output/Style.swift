import Platform

/// The style of printed text: plain, or in color on a terminal that supports it.
struct Style: Sendable {
  /// Whether the output is a terminal.
  var isTerminal = false
  /// Whether the output is in color.
  var hasColors = false
  /// Whether the output is a terminal whose locale is not in UTF-8, so that it may show only ASCII.
  var isASCII = false
  /// The terminal's width in columns; `nil` without a terminal.
  var columns: Int?
  /// The terminal's height in rows; `nil` without a terminal.
  var rows: Int?

  /// Creates the style of plain text.
  init() {}

  /// Creates the style for a descriptor, and respects `NO_COLOR` and `TERM=dumb`.
  init(_ descriptor: BorrowedDescriptor, colors: Bool) {
    isTerminal = descriptor.isTerminal
    guard isTerminal else { return }
    let terminal = CurrentProcess.variable("TERM") ?? "dumb"
    hasColors = colors && terminal != "dumb" && CurrentProcess.variable("NO_COLOR") == nil
    isASCII = !TextEncoding.localeIsUTF8
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

  /// The escape sequences that a style writes. Every other one in a line comes from outside.
  static let codes = ["0", "1", "2", "31", "32", "33", "36"].map(code)

  private func paint(_ text: String, _ code: String) -> String {
    hasColors ? "\(Self.code(code))\(text)\(Self.code("0"))" : text
  }

  private static func code(_ number: String) -> String { "\u{1B}[\(number)m" }
}
