// Files beside the units that are made from code, or have parts that are: manual pages and completions.

import Foundation
import Testing

/// A file beside the units that is made from code, or has a part that is: a page of the manual, or completions.
///
/// The file is checked in, so that it can be read and installed without building anything. With `SCROLLD_UPDATE_GOLDEN=1` in
/// the environment what is made is written, to be looked at before it is committed.
public struct MadeFile {
  private let url: URL

  /// A file by its path below `systemd`.
  public init(_ path: String) {
    url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("systemd").appendingPathComponent(path)
  }

  /// The file's text.
  ///
  /// - Throws: what Foundation says when it can't be read.
  public var text: String {
    get throws { try String(contentsOf: url, encoding: .utf8) }
  }

  /// Expects the file to be what is made now.
  ///
  /// - Throws: what Foundation says when it can't be read or written.
  public func expect(_ made: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["SCROLLD_UPDATE_GOLDEN"] == "1" {
      try made.write(to: url, atomically: true, encoding: .utf8)
    }
    guard let difference = Self.difference(try text, made) else { return }
    Issue.record(
      "\(url.lastPathComponent) is not what is made now: SCROLLD_UPDATE_GOLDEN=1 writes it\n\(difference)",
      sourceLocation: sourceLocation)
  }

  /// Expects the lines between two comments, `.\" PART: …` and `.\" End of PART.`, to be what is made now.
  ///
  /// - Throws: what Foundation says when the file can't be read or written.
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

  /// The first lines that differ; `nil` where none do.
  private static func difference(_ file: String, _ made: String) -> String? {
    guard file != made else { return nil }
    let pairs = zip(file.components(separatedBy: "\n"), made.components(separatedBy: "\n"))
    return pairs.first { $0 != $1 }.map { "file: \($0)\n now: \($1)" } ?? "one is longer"
  }
}
