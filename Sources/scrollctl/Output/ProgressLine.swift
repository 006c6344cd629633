// How far something has come that takes long.

import Glibc

/// How far something has come that takes long: a line on standard error that is written over again, where that is a terminal.
final class ProgressLine {
  private let isShown = isatty(STDERR_FILENO) != 0
  private var shown = ""

  deinit { write("") }

  /// Shows a text in place of the one before.
  func show(_ text: String) {
    if text != shown { write(text) }
    shown = text
  }

  private func write(_ text: String) {
    guard isShown else { return }
    var line = "\r\u{1B}[K" + visible(text)
    // Where the terminal is gone nobody needs to be told.
    line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
