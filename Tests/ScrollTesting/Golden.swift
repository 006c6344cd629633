// Texts that must stay as they are until somebody means to change them.

import Foundation
import Testing

/// Texts that must stay as they are until somebody means to change them, one file each under Tests/Fixtures/golden.
public enum Golden {
  /// Expects a text to be that of the golden file. With `SCROLLD_GOLDEN=write` it writes the file instead, to be looked at
  /// before it is committed.
  ///
  /// - Throws: what Foundation says when the file cannot be read or written.
  public static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let url = Fixtures.root.appendingPathComponent("golden").appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["SCROLLD_GOLDEN"] == "write" {
      try text.write(to: url, atomically: true, encoding: .utf8)
      return
    }
    let golden = try String(contentsOf: url, encoding: .utf8)
    guard golden != text else { return }
    let pairs = zip(golden.split(separator: "\n"), text.split(separator: "\n"))
    let difference = pairs.first { $0 != $1 }.map { "golden: \($0)\n   now: \($1)" } ?? "one is longer"
    Issue.record("\(name) differs:\n\(difference)", sourceLocation: sourceLocation)
  }
}
