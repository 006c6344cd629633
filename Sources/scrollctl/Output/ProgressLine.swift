import Platform

/// The progress of a long operation, as a line on standard error that is updated in place. Shown only on a terminal.
final class ProgressLine {
  private let isShown = BorrowedDescriptor.standardError.isTerminal
  private var shown = ""

  deinit { write("") }

  /// Replaces the shown text.
  func show(_ text: String) {
    if text != shown { write(text) }
    shown = text
  }

  private func write(_ text: String) {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K" + visible(text))
  }
}
