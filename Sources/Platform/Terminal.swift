import Glibc

extension BorrowedDescriptor {
  /// Whether the descriptor is a terminal (isatty(3)).
  public var isTerminal: Bool { isatty(rawValue) != 0 }

  /// The terminal's size in characters; `nil` when it has none (ioctl_tty(2)).
  public var terminalSize: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
