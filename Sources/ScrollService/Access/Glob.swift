import Platform
import Varlink

/// A list of fnmatch(3) patterns over client names: `*`, `?` and `[…]`, where `*` also matches `/`.
public struct Glob: Equatable, Sendable {
  /// The maximum length of a pattern in a call, in bytes: that of the longest client name.
  static let maximumPatternLength = 255
  /// The maximum length of all patterns in a call together, in bytes.
  static let maximumLength = 4096

  /// The patterns, of which at least one must match. An empty list matches everything.
  public var patterns: [String]

  /// Creates a glob from patterns.
  public init(_ patterns: [String] = []) { self.patterns = patterns }

  /// Returns whether a name matches.
  public func matches(_ name: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0.utf8.elementsEqual(name.utf8) || name.matches(pattern: $0) }
  }

  /// Reads the parameter `clients` of a call. The glob matches everything if the parameter is absent.
  ///
  /// In the worst case, matching takes time quadratic in the length of a pattern, for each client, and blocks all other calls.
  /// That is why patterns must be short.
  ///
  /// - Throws: `InvalidParameter` for `clients`.
  init(_ parameters: inout ParameterReader) throws(VarlinkError) {
    patterns = try parameters.optionalStringArray("clients") ?? []
    guard patterns.allSatisfy({ $0.utf8.count <= Self.maximumPatternLength }),
      patterns.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumLength
    else { throw .invalidParameter("clients") }
  }
}
