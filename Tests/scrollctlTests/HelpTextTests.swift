import Foundation
import Testing

@testable import scrollctl

@Suite("Help")
struct HelpTextTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  /// Compares lines with a golden file. SCROLLD_UPDATE_GOLDEN=1 in the environment updates the file first.
  private func expect(_ lines: [String], toBe name: String) throws {
    let file = Self.golden.appendingPathComponent("\(name).txt")
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["SCROLLD_UPDATE_GOLDEN"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test("Help for the program matches its golden file")
  func program() throws {
    try expect(HelpText(verbs: Verb.all).program, toBe: "scrollctl")
  }

  @Test("Help for each verb matches its golden file", arguments: Verb.all.map(\.name))
  func verb(name: String) throws {
    try expect(HelpText(verbs: Verb.all).verb(#require(Verb.all.named(name))), toBe: name)
  }

  @Test("No line is wider than 80 columns", arguments: Verb.all.map(\.name))
  func width(name: String) throws {
    let lines = try HelpText(verbs: Verb.all).verb(#require(Verb.all.named(name))) + HelpText(verbs: Verb.all).program
    // Command lines of examples are not wrapped.
    for line in lines where !line.hasPrefix("  scrollctl ") { #expect(line.count <= 80, "\(line)") }
  }

  @Test("Help fits a narrow terminal", arguments: [60, 72])
  func narrow(columns: Int) {
    let help = HelpText(verbs: Verb.all, width: columns)
    let lines = Verb.all.flatMap { help.verb($0).dropFirst(3) } + help.program
    for line in lines where line.count > columns {
      // Command lines and single words are not broken.
      let isCommand = line.hasPrefix("  scrollctl ") || line.hasPrefix("  -") || line.hasPrefix("     --")
      let isSynopsis = Verb.all.contains { line == "  \($0.synopsis)" }
      #expect(isCommand || isSynopsis || line.contains("scrollctl [OPTION…]"), "\(line)")
    }
  }

  @Test("Names are unique, options do not hide global ones, and the examples parse")
  func table() throws {
    #expect(Set(Verb.all.map(\.name)).count == Verb.all.count)
    for verb in Verb.all {
      let names = (verb.options + Option.global).map(\.name)
      #expect(Set(names).count == names.count, "\(verb.name)")
      #expect(!verb.summary.hasSuffix("."))
      for argument in verb.arguments.dropLast() { #expect(!argument.repeats) }
      for example in verb.examples {
        let words = example.arguments.prefix { !"|<>$".contains($0) }.split(separator: " ")
        let plain = words.map { $0.count > 2 && $0.first == "'" && $0.last == "'" ? $0.dropFirst().dropLast() : $0 }
        let quoted = plain.filter { !$0.contains("'") && !$0.hasSuffix("ago'") }.map(String.init)
        #expect(throws: Never.self, "\(example.arguments)") { try CommandLineParser.parse(quoted, verbs: Verb.all) }
      }
    }
  }
}
