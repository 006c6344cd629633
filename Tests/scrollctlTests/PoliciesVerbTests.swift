import Foundation
import ScrollModel
import ScrollService
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("policies")
struct PoliciesVerbTests {
  /// Runs `body` with a configuration file, and removes the file afterwards.
  private func withConfiguration(_ text: String, body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).conf")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    try body(file.path)
  }

  private func lines(_ arguments: [String]) throws -> [String] {
    let captured = CapturedOutput()
    #expect(try captured.run(arguments) == .done)
    return captured.lines.map(String.init)
  }

  private let readers = """
    [Sessions]
    Policy=readers
    [Policy readers]
    Clients=reader/* *.epub
    HideDistance=40
    [Policy chrome]
    Rule=classic
    """

  @Test("policies lists the presets with their descriptions and parameters")
  func presets() throws {
    let text = try lines(["policies"])
    #expect(text.first?.hasPrefix("safari (the default) — hides on the way down, ") == true)
    #expect(text.contains("    rule classic: topButtonDistance=450"))
    let objects = try lines(["policies", "--json"]).map { try JSONLine($0) }
    #expect(objects.compactMap { $0.text("name") } == Policy.presets.map(\.name))
    #expect(objects.compactMap { $0.text("meaning") } == Policy.describedPresets.map(\.summary))
    #expect(objects.compactMap { $0.flag("default") } == [true, false, false, false, false, false])
  }

  @Test("policies lists a configuration's sections with their clients, in place of presets of the same name")
  func sections() throws {
    try withConfiguration(readers) { file in
      let text = try self.lines(["policies", "--config", file])
      #expect(text.contains("readers (the default) — from the configuration, for reader/* *.epub"))
      #expect(text.contains("chrome — from the configuration, selected for no client"))
      #expect(text.contains { $0.hasPrefix("safari — ") })
      let objects = try self.lines(["policies", "--json", "--config", file]).map { try JSONLine($0) }
      let names = objects.compactMap { $0.text("name") }
      #expect(names == ["safari", "safari-arrival", "classic", "headroom", "material", "readers", "chrome"])
      #expect(objects[5].texts("clients") == ["reader/*", "*.epub"])
      #expect(objects[5].flag("default") == true)
      #expect(objects[5].names.contains("meaning") == false)
    }
  }

  @Test("fold uses a policy of a configuration")
  func fold() throws {
    let recording = Fixtures.root.appendingPathComponent("recordings/article-to-bottom.ndjson").path
    try withConfiguration(readers) { file in
      let named = try self.lines(["fold", "--policy", "readers", "--config", file, recording])
      #expect(try named == self.lines(["fold", "--set", "hideDistance=40", recording]))
      #expect(try named != self.lines(["fold", recording]))
      // Without --policy, a recording is folded with the built-in default, whatever the configuration's default.
      #expect(try self.lines(["fold", "--config", file, recording]) == self.lines(["fold", recording]))
      let policies = ["--policy", "readers", "--policy", "safari"]
      let compared = try self.lines(["compare", "--config", file, recording] + policies)
      #expect(compared.contains { $0.contains("readers") })
      #expect(throws: UsageError.self) { try CapturedOutput().run(["fold", "--policy", "readers", recording]) }
    }
  }

  @Test("A configuration error names the file, line and key")
  func bad() throws {
    try withConfiguration("[Policy p]\nHideDistance=far\n") { file in
      #expect {
        try CapturedOutput().run(["policies", "--config", file])
      } throws: { error in
        "\(error)".hasPrefix("\(file):2: HideDistance=: ")
      }
    }
    #expect(throws: ConfigurationError.self) { try CapturedOutput().run(["policies", "--config", "/nowhere.conf"]) }
  }
}
