// How far something has come that takes long.

import Platform

/// How far something has come that takes long: a line on standard error that is written over again, where that is a terminal.
final class ProgressLine {
  private let isShown = BorrowedDescriptor.standardError.isTerminal
  private var shown = ""

  deinit { write("") }

  /// Shows a text in place of the one before.
  func show(_ text: String) {
    if text != shown { write(text) }
    shown = text
  }

  private func write(_ text: String) {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K" + visible(text))
  }
}
