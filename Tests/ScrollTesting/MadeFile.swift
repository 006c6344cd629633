import Foundation
import Testing

/// A file under `systemd` that is generated from code, at least in part: a manual page or shell completions.
///
/// The file is checked in, so that you can read and install it without building anything. With `SCROLLD_UPDATE_GOLDEN=1` in
/// the environment, tests write the generated text. Review the changes before you commit them.
public struct MadeFile {
  private let url: URL

  /// Creates a file from its path relative to `systemd`.
  public init(_ path: String) {
    url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("systemd").appendingPathComponent(path)
  }

  /// The file's text.
  ///
  /// - Throws: Foundation's error if it can't be read.
  public var text: String {
    get throws { try String(contentsOf: url, encoding: .utf8) }
  }

  /// Expects the file to equal the generated text.
  ///
  /// - Throws: Foundation's error if it can't be read or written.
  public func expect(_ made: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["SCROLLD_UPDATE_GOLDEN"] == "1" {
      try made.write(to: url, atomically: true, encoding: .utf8)
    }
    guard let difference = Self.difference(try text, made) else { return }
    Issue.record(
      "\(url.lastPathComponent) differs from the generated text: SCROLLD_UPDATE_GOLDEN=1 writes it\n\(difference)",
      sourceLocation: sourceLocation)
  }

  /// Expects the lines between two comments, `.\" PART: …` and `.\" End of PART.`, to equal the generated ones.
  ///
  /// - Throws: Foundation's error if the file can't be read or written.
  public func expect(_ made: [String], asPart part: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let lines = try text.components(separatedBy: "\n")
    guard let begin = lines.firstIndex(where: { $0.hasPrefix(".\\\" \(part): ") }),
      let end = lines.firstIndex(of: ".\\\" End of \(part)."), begin < end
    else {
      Issue.record("\(url.lastPathComponent) has no part “\(part)”", sourceLocation: sourceLocation)
      return
    }
    let whole = Array(lines[...begin]) + made + Array(lines[end...])
    try expect(whole.joined(separator: "\n"), sourceLocation: sourceLocation)
  }

  /// The first lines that differ; `nil` if none do.
  private static func difference(_ file: String, _ made: String) -> String? {
    guard file != made else { return nil }
    let pairs = zip(file.components(separatedBy: "\n"), made.components(separatedBy: "\n"))
    return pairs.first { $0 != $1 }.map { "file: \($0)\n now: \($1)" } ?? "one is longer"
  }
}
