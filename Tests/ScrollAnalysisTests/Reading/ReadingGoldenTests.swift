import ScrollAnalysis
import ScrollModel
import ScrollTesting
import Testing

@Suite("Measures of the shipped recordings")
struct ReadingGoldenTests {
  @Test("The recordings keep their measures")
  func recordings() throws {
    var text = ""
    for name in try Fixtures.names(in: "recordings") {
      let recording = try Fixtures.recording(name, in: "recordings")
      let reading = ReadingMeter.read(recording.events, closed: recording.closed, policy: .safari, bands: 10)
      text += "\(name): \(reading.events) events\n"
      for measure in Reading.Measure.allCases {
        text += "  \(measure.name) \(reading[measure].map(Self.text) ?? "-") \(measure.unit.rawValue)\n"
      }
      text += "  bands \(reading.bands?.map(String.init).joined(separator: " ") ?? "-") µs\n"
    }
    try Golden.expect(text, is: "reading-recordings.txt")
  }

  private static func text(_ value: Reading.Value) -> String {
    switch value {
    case .integer(let value): "\(value)"
    case .number(let value): shortest(value)
    case .word(let word): "\(word)"
    }
  }
}
