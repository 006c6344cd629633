import Glibc
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct ClientPatternTests {
  private func matches(_ pattern: String, _ name: String) -> Bool {
    ClientPattern(pattern).matches(ScannedName(name))
  }

  @Test(arguments: [
    ("a*", "a/b", true), ("?b", "ab", true), ("[ab]c", "bc", true), ("a", "ab", false), ("", "", true), ("*", "", true),
    ("**", ".hidden", true), ("a*b*c", "aXbYbc", true), ("a*b*c", "aXcYb", false), ("*ab", "aab", true),
    ("[!a-c]", "d", true), ("[^a-c]", "b", false), ("[]-]", "]", true), ("[]-]", "-", true), ("[z-a]", "m", false),
    ("[[:digit:]]x", "7x", true), ("[[:digit:][:upper:]]", "Q", true), ("[[:none:]]", "n", false), ("\\*", "*", true),
    ("\\*", "x", false), ("[\\]]", "]", true), ("[a", "[a", true), ("[a", "a", false), ("a\\", "a\\", true),
    ("caf?", "café", true), ("[à-ü]t", "ét", true), ("[!é]t", "ét", false), ("é", "e\u{301}", false),
  ])
  func aPatternMatchesWholeNames(pattern: String, name: String, expected: Bool) {
    #expect(matches(pattern, name) == expected, "\(pattern) and \(name)")
  }

  /// The reference is the function of the C library that the daemon used before, in the "C" locale.
  @Test func randomPatternsMatchWhatFnmatchMatches() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let pieces = Array("aab*?[]!^-\\c") + ["*", "?", "["]
    let classes = ["[:alpha:]", "[:digit:]", "[:punct:]", "[=a=]", "[.-.]", "a-c", "!", "]", "\\]", "-"]
    for _ in 0..<30_000 {
      var pattern = ""
      for _ in 0..<random.whole(0...6) {
        if random.happens(0.25) {
          pattern += "["
          for _ in 0..<random.whole(1...3) { pattern += classes[random.whole(0...classes.count - 1)] }
          if random.happens(0.9) { pattern += "]" }
        } else {
          pattern.append(pieces[random.whole(0...pieces.count - 1)])
        }
      }
      // What a range means that ends with a class, or with the pattern, is undefined.
      if pattern.contains("-[:") || pattern.contains("-[=") || pattern.hasSuffix("-") { continue }
      let name = String((0..<random.whole(0...7)).map { _ in "aabc-]7!["[random.whole(0...8)] })
      let expected = fnmatch(pattern, name, 0) == 0 || pattern == name
      if matches(pattern, name) != expected { Issue.record("“\(pattern)” and “\(name)”: expected \(expected)") }
    }
  }

  /// With fnmatch(3), brackets with many classes took a millisecond each, and many stars even longer.
  @Test(arguments: [
    String(repeating: "*a", count: 127), String(repeating: "*?", count: 127),
    "*" + String(repeating: "a?", count: 126) + "b",
    "*[" + String(repeating: "[:punct:]", count: 27) + "a]b", "*" + String(repeating: "[ab]", count: 62) + "*c",
  ])
  func noPatternTakesMoreStepsThanItSays(text: String) {
    let pattern = ClientPattern(text)
    #expect(text.utf8.count <= Glob.maximumPatternLength)
    #expect(pattern.maximumSteps <= 33_000)
    let name = ScannedName(String(repeating: "a", count: 255))
    let time = ContinuousClock().measure {
      for _ in 0..<1000 { _ = pattern.matches(name) }
    }
    // In a release build this takes at most 30 ms.
    #expect(time < .seconds(20))
  }

  @Test func aPatternKnowsWhatItsNamesBeginWith() {
    let prefixes = ["reader/*": "reader/", "a?b": "a", "[ab]c": "", "a\\*b*": "a*b", "*": "", "é*": "é"]
    for (text, prefix) in prefixes {
      #expect(ClientPattern(text).literalPrefix == prefix.unicodeScalars.map(\.value), "\(text)")
      #expect(!ClientPattern(text).isName)
    }
    #expect(ClientPattern("reader").isName)
    #expect(ClientPattern("[[:none:]]").isName)
  }
}

extension String {
  fileprivate subscript(offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
