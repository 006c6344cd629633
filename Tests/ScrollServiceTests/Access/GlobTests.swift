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
    let longest = String(repeating: "*", count: 255)
    func error(_ patterns: [String]) throws -> CallError? {
      try daemon.connect().stream(method, ["clients": .array(patterns.map { .string($0) })]).error
    }
    let tooLong = CallError("PatternTooLong", ["index": 1, "limit": 255, "given": 256])
    #expect(try error(["a", longest + "*"]) == tooLong)
    #expect(try error([String](repeating: "a", count: 65)) == CallError("TooManyPatterns", ["limit": 64, "given": 65]))
    #expect(try error([String](repeating: longest, count: 64)) == nil)
    let slow = "*" + String(repeating: "a?", count: 100) + "b*"
    // Each costs 201 for its length, 255 times as much for the part between the stars, and 1; the call costs 1.
    let steps: Int64 = 102_915
    #expect(try error([slow]) == nil)
    #expect(try error([slow, slow]) == CallError("PatternsTooComplex", ["limit": 65_536, "given": .int(steps)]))
  }
}
