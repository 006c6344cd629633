import ScrollTesting
import Testing

@testable import scrollctl

@Suite("check")
struct CheckVerbTests {
  private func path(_ name: String, in folder: String = "cases") -> String {
    Fixtures.root.appendingPathComponent("\(folder)/\(name).ndjson").path
  }

  @Test("check exits with 0 and says so if nothing looks wrong")
  func clean() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["check", path("article-read", in: "recordings"), path("S01")]) == .done)
    #expect(
      captured.lines == [
        "\(path("article-read", in: "recordings")): nothing looks wrong in 393 events",
        "\(path("S01")): nothing looks wrong in 6 events",
      ])
  }

  @Test("check names the line, the problem, the fix and the section, and exits with 1")
  func findings() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["check", path("S01"), path("X08")]) == .failed)
    #expect(
      captured.lines.map(String.init) == [
        "\(path("S01")): nothing looks wrong in 6 events",
        "\(path("X08")):3: the view scrolls, and no layout has given contentHeight and frameHeight (and 2 more like it): send a "
          + "layout before the first scroll, and after every change of a size (Feeding.md, “Sizes and insets”)",
      ])
  }

  @Test("check --json prints an object for each finding, and nothing if there is none")
  func json() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["check", "--json", path("X01"), path("S01")]) == .failed)
    let object = try JSONLine(#require(captured.lines.first))
    #expect(captured.lines.count == 1)
    #expect(object.names == ["file", "line", "problem", "count", "observation", "advice", "section"])
    #expect(object.text("file") == path("X01"))
    #expect(object.text("problem") == "timeUnit")
    #expect(object.text("section") == "Times")
    #expect(try CapturedOutput().run(["check", "--json", path("S01")]) == .done)
  }

  @Test("An argument that can't be read does not hide what the others show", arguments: [[], ["--json"]])
  func badArgument(options: [String]) throws {
    let captured = CapturedOutput()
    let arguments = options + ["check", "/nowhere.ndjson", path("X01"), "/dev/null", path("X08")]
    #expect(try captured.run(arguments) == .failed)
    #expect(captured.lines.count == 2)
    #expect(try CapturedOutput().run(["check", path("S01"), "/nowhere.ndjson"]) == .failed)
    #expect(throws: UsageError.self) { try CapturedOutput().run(["check", "--uid", "x", "a"]) }
  }
}
