// Patterns over client names.

import Glibc

/// Patterns over client names, by fnmatch(3): `*` `?` `[…]`; a `*` matches a `/` too.
public struct Glob: Equatable, Sendable {
  /// The patterns, one of which must match; none match everything.
  public var patterns: [String]

  /// A glob of patterns.
  public init(_ patterns: [String] = []) { self.patterns = patterns }

  /// Whether a name matches.
  public func matches(_ name: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0 == name || fnmatch($0, name, 0) == 0 }
  }
}
