import Foundation

/// The project's checked-in files, which tests compare with the code.
public enum ProjectFile {
  /// Reads a file by its path from the project's root.
  ///
  /// - Throws: Foundation's error if the file cannot be read.
  public static func text(_ path: String) throws -> String {
    let root = Fixtures.root.deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
