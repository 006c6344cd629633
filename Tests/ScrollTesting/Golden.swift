import Foundation
import Testing

/// Texts that must not change by accident, each in a file under Tests/Fixtures/golden.
public enum Golden {
  /// Expects a text to equal a golden file. With `SCROLLD_GOLDEN=write` in the environment it writes the file instead. Review
  /// the changes before you commit them.
  ///
  /// - Throws: Foundation's error if the file cannot be read or written.
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
