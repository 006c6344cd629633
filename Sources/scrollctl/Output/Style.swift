import Platform
import ScrollAnalysis

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

  /// When output is in color.
  enum Coloring: String, CaseIterable {
    case always, auto, never
  }

  /// Creates the style for a descriptor, and respects `NO_COLOR` and `TERM=dumb` if the coloring is automatic.
  init(_ descriptor: BorrowedDescriptor, coloring: Coloring) {
    isTerminal = descriptor.isTerminal
    hasColors = coloring == .always
    guard isTerminal else { return }
    let terminal = CurrentProcess.variable("TERM") ?? "dumb"
    if coloring == .auto { hasColors = terminal != "dumb" && CurrentProcess.variable("NO_COLOR") == nil }
    isASCII = !TextEncoding.localeIsUTF8
    let size = descriptor.terminalSize
    columns = size?.columns
    rows = size?.rows
  }

  /// Returns the lines of a text without colors, broken between words to fit into the terminal.
  func wrapped(_ text: String) -> [String] {
    columns.map { scrollctl.wrapped(text, columns: $0).map(fitted) } ?? [text]
  }

  /// Whether a line fits into the terminal.
  func fits(_ line: String) -> Bool { printedWidth(line) <= columns ?? .max }

  /// Returns the beginning of a line that fits into the terminal, with an ellipsis in place of the rest.
  func fitted(_ line: String) -> String {
    guard let columns else { return line }
    guard hasColors, line.contains("\u{1B}") else { return scrollctl.fitted(line, columns: columns) }
    var result = ""
    var width = 0
    let total = printedWidth(line)
    if total <= columns { return line }
    var rest = Substring(line)
    while !rest.isEmpty {
      if let code = Self.codes.first(where: rest.hasPrefix) {
        result += code
        rest = rest.dropFirst(code.count)
        continue
      }
      let character = rest.removeFirst()
      width += String(character).columnWidth
      if width >= columns { break }
      result.append(character)
    }
    return result + "…" + Self.code("0")
  }

  /// The columns that a line takes without the codes of its colors.
  private func printedWidth(_ line: String) -> Int {
    Self.codes.reduce(line) { $0.split(separator: $1, omittingEmptySubsequences: false).joined() }.columnWidth
  }

  func bold(_ text: String) -> String { paint(text, "1") }
  func dim(_ text: String) -> String { paint(text, "2") }
  func red(_ text: String) -> String { paint(text, "31") }
  func green(_ text: String) -> String { paint(text, "32") }
  func yellow(_ text: String) -> String { paint(text, "33") }
  func cyan(_ text: String) -> String { paint(text, "36") }

  /// The escape sequences that a style and the timelines write. Every other one in a line comes from outside.
  static let codes = Set(["0", "1", "2", "31", "32", "33", "36"].map(code)).union(TimelineStyle.escapeSequences)

  private func paint(_ text: String, _ code: String) -> String {
    hasColors ? "\(Self.code(code))\(text)\(Self.code("0"))" : text
  }

  private static func code(_ number: String) -> String { "\u{1B}[\(number)m" }
}
