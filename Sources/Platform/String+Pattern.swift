import Glibc

extension String {
  /// Whether the text matches a shell pattern: `*` `?` `[…]`; a `*` matches a `/` too (fnmatch(3)).
  public func matches(pattern: String) -> Bool { fnmatch(pattern, self, 0) == 0 }
}
