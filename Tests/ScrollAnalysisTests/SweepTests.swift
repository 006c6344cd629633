import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Sweeps")
struct SweepTests {
  @Test(
    "A range has its first value and those that are whole steps above it, without rounding errors",
    arguments: [
      ("5..8:1", [5, 6, 7, 8]),
      ("0..1:0.25", [0, 0.25, 0.5, 0.75, 1]),
      ("0.1..0.4:0.1", [0.1, 0.2, 0.3, 0.4]),
      ("5..9:2", [5, 7, 9]),
      ("5..8:2", [5, 7]),
      ("7..7", [7]),
      ("7..7:3", [7]),
    ] as [(Substring, [Double])])
  func values(_ text: Substring, _ values: [Double]) throws {
    #expect(try SweepRange.values(text) == values)
  }

  @Test(
    "Without a step, a range has both ends, round values between them, and at most 25 in all",
    arguments: [
      ("5..40", [5, 6, 8, 10, 38, 40]), ("0..1000", [0, 50, 100, 150, 950, 1000]),
      ("0..0.05", [0, 0.005, 0.01, 0.015, 0.045, 0.05]), ("1.03..2", [1.03, 1.05, 1.1, 1.15, 1.95, 2]),
      ("7..41", [7, 8, 10, 12, 40, 41]),
    ] as [(Substring, [Double])])
  func stepIsRound(_ text: Substring, _ ends: [Double]) throws {
    let values = try SweepRange.values(text)
    #expect((11...25).contains(values.count))
    #expect(Array(values.prefix(4) + values.suffix(2)) == ends)
    #expect(values == values.sorted())
  }

  @Test(
    "What is no range of numbers of 0 or more is refused with the part that is wrong",
    arguments: [
      ("", "“” must have two dots"), ("5", "“5” must have two dots"), ("5..", "TO is “”"), ("..8", "FROM is “”"),
      ("8..5", "FROM is 8, which is more than TO, which is 5"), ("5..8:0", "STEP is “0”"), ("5..8:-1", "STEP is “-1”"),
      ("5..8:", "STEP is “”"), ("-5..8", "FROM is “-5”"), ("0x5..0x8", "FROM is “0x5”"), ("nan..8", "FROM is “nan”"),
      ("5..inf", "TO is “inf”"), ("a..b", "FROM is “a”"),
      ("0..8:0.001", "these are 8001 values, and at most 1000 are possible: use a STEP of 0.008008008 or more"),
    ] as [(Substring, String)])
  func noRange(_ text: Substring, _ message: String) throws {
    let problem = try thrown(SweepRange.Problem.self) { try SweepRange.values(text) }
    #expect(problem.description.hasPrefix(message))
  }

  /// The user scrolls 12 points down and, 0.1 s later, 12 up: any distance of at most 12 points flickers.
  @Test("The smallest value without flickers is the first beyond the movement")
  func smallest() throws {
    let events = [(0, 300.0), (100_000, 312), (200_000, 300)].map { time, y in
      var event = Event(.scroll, time: Int64(time))
      event.x = 0
      event.y = y
      return event
    }
    let sweep = try Sweep(.headroom, parameter: "hideDistance", values: [6, 9, 12, 15, 18], sessions: [events])
    #expect(sweep.rows.map(\.tally.flickers.count) == [1, 1, 1, 0, 0])
    #expect(sweep.smallestWithoutFlickers == 15)
    #expect(sweep.lines.last == "Of these, the smallest without flickers is 15, under the policy headroom.")
    let flickering = try Sweep(.headroom, parameter: "hideDistance", values: [6], sessions: [events])
    #expect(flickering.lines.last == "The toolbar flickers with each of these values, under the policy headroom.")
  }

  @Test("A parameter that the rule lacks, or that is no number, is refused")
  func badParameter() {
    #expect(throws: Policy.ParameterError.self) {
      try Sweep(.classic, parameter: "hideDistance", values: [1], sessions: [])
    }
    #expect(throws: Policy.ParameterError.self) {
      try Sweep(.safari, parameter: "revealAtBottom", values: [1], sessions: [])
    }
  }
}

@Suite("Numbers for people")
struct NumberTextTests {
  @Test(
    "Numbers in a text are rounded to what people need",
    arguments: [
      ("travelUp 12.666999999999916 ≥ showDistance 10", "travelUp 12.67 ≥ showDistance 10"),
      ("zoomScale 1.0502345 grew beyond 1.05", "zoomScale 1.05 grew beyond 1.05"),
      ("translationY -20.004 ≤ 0", "translationY -20 ≤ 0"),
      ("offset 1.7763568394002505e-15, top 0", "offset 0, top 0"),
      ("offset 1200 of 1e+21.", "offset 1200 of 1e+21."),
      ("after 3.5.", "after 3.5."),
      ("version2.123456 stays", "version2.123456 stays"),
      ("", ""),
    ])
  func rounded(_ text: String, _ expected: String) {
    #expect(NumberText.rounded(in: text) == expected)
  }
}
