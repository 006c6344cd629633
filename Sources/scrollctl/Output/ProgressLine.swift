import Platform

/// The progress of a long operation, as a line on standard error that is updated in place. Shown only on a terminal.
final class ProgressLine {
  let isShown = BorrowedDescriptor.standardError.isTerminal
  private let columns = BorrowedDescriptor.standardError.terminalSize?.columns ?? 80
  private var shown = ""

  deinit { if !shown.isEmpty { write("") } }

  /// Replaces the shown text.
  func show(_ text: String) {
    if text != shown { write(text) }
    shown = text
  }

  private func write(_ text: String) {
    guard isShown else { return }
    // A line that wraps could not be replaced.
    StandardError.write("\r\u{1B}[K" + fitted(text.isEmpty ? text : visible(text), columns: columns - 1))
  }
}
