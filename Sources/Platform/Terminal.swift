import Glibc

extension BorrowedDescriptor {
  /// Whether the descriptor is a terminal (isatty(3)).
  public var isTerminal: Bool { isatty(rawValue) != 0 }

  /// The terminal's size in characters; `nil` when its width is unknown (ioctl_tty(2)). A serial line may have no height. As in
  /// systemctl(1), `$COLUMNS` counts before what the terminal says.
  public var terminalSize: (columns: Int, rows: Int?)? {
    var size = winsize()
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    let chosen = CurrentProcess.variable("COLUMNS").flatMap { Int($0) }.flatMap { 1...0x7FFF ~= $0 ? $0 : nil }
    guard let columns = chosen ?? (size.ws_col > 0 ? Int(size.ws_col) : nil) else { return nil }
    return (columns, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }
}
