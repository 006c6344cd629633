import Testing

@testable import ScrollService

@Suite struct GlobTests {
  @Test func patternsMatchLikeShellPatterns() {
    #expect(Glob().matches("any"))
    #expect(Glob(["reader/*"]).matches("reader/books/3"))
    #expect(!Glob(["reader/?"]).matches("reader/12"))
    #expect(Glob(["[a-c]x", "y"]).matches("bx"))
    // A name matches itself, whatever characters it has.
    #expect(Glob(["[a-c]x"]).matches("[a-c]x"))
  }

  /// fnmatch(3) took seconds per name for a pattern of a megabyte, and blocked all other callers.
  @Test(arguments: ["List", "Subscribe"]) func patternsThatWouldTakeLongAreRefused(method: String) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let longest = String(repeating: "*", count: 255)
    let refusal = CallError("InvalidParameter", ["parameter": "clients"])
    for patterns in [[longest + "*"], [String](repeating: longest, count: 17)] {
      #expect(client.stream(method, ["clients": .array(patterns.map { .string($0) })]).error == refusal)
    }
    #expect(client.stream(method, ["clients": .array([.string(longest)])]).error == nil)
  }
}
