import Foundation

/// The recordings under Tests/Fixtures, and the transitions expected under each policy.
public enum Fixtures {
  /// A file of expectations for a recording and a policy.
  public struct Expectation: Sendable, CustomStringConvertible {
    /// `cases`, `recordings` or `browser`.
    public let folder: String
    /// The recording's name, such as `S01`.
    public let name: String
    /// `classic`, `safari`, `arrival` or `set`.
    public let policy: String

    /// The recording and the policy, for test reports.
    public var description: String { "\(name) \(policy)" }
  }

  /// The parameter with which `safari` folds the cases that have an expectation named `set`.
  public static let setParameters: [String: (name: String, value: String)] = [
    "F20": ("hideOffset", "86"), "F45": ("topButtonDistance", "80"),
  ]

  /// The folder of all fixtures.
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// Lists the files of expectations of a folder, sorted by name.
  ///
  /// - Throws: Foundation's error if the folder cannot be read.
  public static func expectations(in folder: String) throws -> [Expectation] {
    let directory = root.appendingPathComponent(folder).appendingPathComponent("expected")
    return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().compactMap { file in
      let parts = file.split(separator: ".")
      guard parts.count == 3, parts[2] == "ndjson" else { return nil }
      return Expectation(folder: folder, name: String(parts[0]), policy: String(parts[1]))
    }
  }

  /// Lists the names of a folder's recordings, sorted.
  ///
  /// - Throws: Foundation's error if the folder cannot be read.
  public static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).sorted()
      .filter { $0.hasSuffix(".ndjson") }.map { String($0.dropLast(".ndjson".count)) }
  }

  /// Reads a recording by its name, such as `recording("article-read", in: "recordings")`.
  ///
  /// - Throws: Foundation's error if it cannot be read, or ``Recording/Malformed``.
  public static func recording(_ name: String, in folder: String) throws -> Recording {
    try Recording(text(folder, "\(name).ndjson"))
  }

  /// Reads the transitions of a file of expectations.
  ///
  /// - Throws: Foundation's error if it cannot be read, or ``Recording/Malformed``.
  public static func transitions(of expectation: Expectation) throws -> [ExpectedTransition] {
    let lines = try text(expectation.folder, "expected", "\(expectation.name).\(expectation.policy).ndjson")
    return try lines.split(separator: "\n").map { try ExpectedTransition(JSONLine($0)) }
  }

  private static func text(_ path: String...) throws -> String {
    let url = path.reduce(root) { $0.appendingPathComponent($1) }
    return try String(contentsOf: url, encoding: .utf8)
  }
}
