// Patterns over client names.

import Glibc
import Varlink

/// Patterns over client names, by fnmatch(3): `*` `?` `[…]`; a `*` matches a `/` too.
public struct Glob: Equatable, Sendable {
  /// The longest pattern that a call may give, in bytes: as long as the longest name.
  static let maximumPatternLength = 255
  /// How many bytes all patterns of a call may have.
  static let maximumLength = 4096

  /// The patterns, one of which must match; none match everything.
  public var patterns: [String]

  /// A glob of patterns.
  public init(_ patterns: [String] = []) { self.patterns = patterns }

  /// Whether a name matches.
  public func matches(_ name: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0 == name || fnmatch($0, name, 0) == 0 }
  }

  /// Reads the parameter `clients` of a call, patterns that match everything where it is absent.
  ///
  /// Matching takes the square of a pattern's length at worst, for each client there is, and while it does nobody else is
  /// served: so they are short.
  ///
  /// - Throws: `InvalidParameter` of `clients`.
  init(_ parameters: inout ParameterReader) throws(VarlinkError) {
    patterns = try parameters.optionalStringArray("clients") ?? []
    guard patterns.allSatisfy({ $0.utf8.count <= Self.maximumPatternLength }),
      patterns.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumLength
    else { throw .invalidParameter("clients") }
  }
}
