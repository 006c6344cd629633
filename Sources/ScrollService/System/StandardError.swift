// Writing to standard error, without Foundation.

import Glibc

/// Standard error, unbuffered.
public enum StandardError {
  /// Writes a text in one piece. There is nobody to tell when that fails.
  public static func write(_ text: String) {
    var text = text
    _ = text.withUTF8 { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
