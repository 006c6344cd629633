import Foundation
import ScrollClientTesting
import ScrollModel
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("Arguments that name sessions")
final class ArgumentTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory(prefix: "scrollctl-test-") }

  deinit { folder.remove() }

  private static let recording = Fixtures.root.appendingPathComponent("recordings/article-read.ndjson").path

  private func copy(_ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    let directory = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.recording, toPath: path)
    return path
  }

  private func write(_ name: String, _ text: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(
    "A file's name has as many of its directories as tell it apart",
    arguments: [
      (["a/read.ndjson"], ["read"]),
      (["a/read.ndjson", "a/feed.ndjson"], ["read", "feed"]),
      (["a/read.ndjson", "b/read.ndjson"], ["a/read", "b/read"]),
      (["x/a/read.ndjson", "y/a/read.ndjson", "b/read.ndjson"], ["x/a/read", "y/a/read", "b/read"]),
      (["read.ndjson", "a/read.ndjson"], ["read", "a/read"]),
      (["read.ndjson", "./read.ndjson"], ["read", "read"]),
      (["-"], ["standard input"]), ([".ndjson"], [".ndjson"]),
      (["a//b/read.ndjson", "c/read.ndjson"], ["b/read", "c/read"]),
    ] as [([String], [String])])
  func distinctNames(_ paths: [String], _ names: [String]) {
    let distinct = DistinctNames(paths)
    #expect(paths.map { distinct[$0] } == names)
  }

  @Test("compare and reading tell files of the same name apart, and JSON has the path as given")
  func sameNames() throws {
    let (first, second) = (try copy("a/read.ndjson"), try copy("b/read.ndjson"))
    let compared = CapturedOutput()
    #expect(try compared.run(["compare", "--policy", "safari", "--policy", "classic", first, second]) == .done)
    #expect(compared.text.contains("\na/read:") && compared.text.contains("\nb/read:"))
    let json = CapturedOutput()
    #expect(try json.run(["--json", "compare", "--policy", "safari", "--policy", "classic", first, second]) == .done)
    #expect(try JSONLine(json.lines[0]).text("file") == first)
    let reading = CapturedOutput()
    #expect(try reading.run(["reading", first, second]) == .done)
    #expect(reading.lines[1].hasPrefix("a/read ") && reading.lines[2].hasPrefix("b/read "))
  }

  @Test(
    "A missing file fails, and does not hide what the others show",
    arguments: [["compare"], ["fold"], ["check"], ["reading"], ["sweep", "hideDistance=10..12"]])
  func missingFile(_ verb: [String]) throws {
    let (found, missing) = (try copy("read.ndjson"), "\(folder.path)/missing.ndjson")
    let alone = CapturedOutput()
    _ = try alone.run(verb + [found])
    let captured = CapturedOutput()
    #expect(try captured.run(verb + [missing, found]) == .failed)
    // fold has the names of several recordings as headings.
    #expect(captured.text.contains(verb == ["fold"] ? alone.text.dropLast() : alone.text[...]))
    let none = verb + [missing]
    #expect(throws: (any Error).self) { try CapturedOutput().run(none) }
  }

  @Test("check tells the sessions of a file apart, even when nothing looks wrong")
  func checkedSessions() throws {
    let session = #"""
      {"kind":"open","time":1700000000000000,"client":"a"}
      {"kind":"layout","time":1700000000000001,"contentHeight":2000,"frameHeight":500}
      {"kind":"close","time":1700000000000002}

      """#
    let path = try write("two.ndjson", session + session)
    let captured = CapturedOutput()
    _ = try captured.run(["check", path])
    #expect(captured.lines.allSatisfy { $0.hasPrefix("\(path):") })
    #expect(Set(captured.lines.map { $0.prefix(path.count + 2) }).count == captured.lines.count)
  }

  @Test("record --session refuses a file of two sessions before it asks for the daemon")
  func recordTwoSessions() throws {
    let session = #"""
      {"kind":"open","time":1700000000000000,"client":"a"}
      {"kind":"scroll","time":1700000000000001,"x":0,"y":0}
      {"kind":"close","time":1700000000000002}

      """#
    let path = try write("two.ndjson", session + session)
    let id = String(repeating: "a", count: 32)
    let failure = try thrown(Failure.self) {
      try CapturedOutput().run(["record", "--socket", "\(folder.path)/none", "--session", id, path])
    }
    #expect(failure.message == "\(path) has 2 sessions, but --session \(id) names one")
  }

  @Test("timeline and report do not replace files silently, and never their input")
  func replacedFiles() throws {
    let (input, output) = (try copy("read.ndjson"), "\(folder.path)/out.svg")
    #expect(try CapturedOutput().run(["timeline", "--svg", output, input]) == .done)
    #expect(throws: Failure.self) { try CapturedOutput().run(["timeline", "--svg", output, input]) }
    #expect(try CapturedOutput().run(["timeline", "--svg", output, "--force", input]) == .done)
    for arguments in [["timeline", "--svg", input], ["report", "-o", input]] {
      let failure = try thrown(Failure.self) { try CapturedOutput().run(arguments + ["--force", input]) }
      #expect(failure.message == "\(input) is an input: it would be replaced by the output")
    }
    let missing = "\(folder.path)/no/out.svg"
    let error = try thrown((any Error).self) {
      try CapturedOutput().run(["timeline", "--svg", missing, input])
    }
    #expect("\(error)" == "cannot create \(missing): No such file or directory")
  }

  @Test("timeline --set names its band after what it sets")
  func variantBand() throws {
    let captured = CapturedOutput()
    #expect(try captured.run(["timeline", "--set", "hideDistance=40", try copy("read.ndjson")]) == .done)
    #expect(captured.text.contains("safari hideDistance=40"))
  }

  // Once, the output escaped some of the drawing's colors as if a client had sent them.
  @Test("A timeline in colors has the same characters as one without, and no escaped colors")
  func coloredTimeline() throws {
    let (plain, colored) = (CapturedOutput(), CapturedOutput())
    var style = Style()
    style.hasColors = true
    let path = try copy("read.ndjson")
    #expect(try plain.run(["timeline", path]) == .done)
    #expect(try colored.run(["timeline", path], style: style) == .done)
    let escapes = /\u{1B}\[[0-9]+m/
    #expect(colored.text.contains(escapes))
    #expect(colored.text.replacing(escapes, with: "") == plain.text)
  }

  @Test("After a bad value, the hint is the verb's help")
  func hints() {
    let help = HelpText(verbs: Verb.all)
    let arguments = ["--json", "vacuum", "--max-use", "x", "--max-use", "y"]
    let verb = CommandLineParser.verb(of: arguments, verbs: Verb.all)
    #expect(verb?.name == "vacuum")
    #expect(
      help.hint(for: .badValue(option: "max-use", text: "x", expected: "a size"), of: verb)
        == "“scrollctl vacuum --help” describes vacuum and its options.")
    #expect(help.hint(for: .badEnvironment("x")) == "“scrollctl --help” lists verbs and options.")
  }

  @Test("What is no state directory is called so", arguments: ["verify", "repair", "restore"])
  func noStateDirectory(_ verb: String) throws {
    let elsewhere = try TemporaryDirectory(prefix: "scrollctl-test-")
    defer { elsewhere.remove() }
    let file = try write("file", "")
    let what = verb == "restore" ? "a backup" : "a state directory"
    for (path, message) in [
      (folder.path, "\(folder.path) is not \(what): it has no directory “log”"),
      (file, "\(file) is not a directory: \(what) is needed"),
      ("\(folder.path)/none", "cannot examine \(folder.path)/none: No such file or directory"),
    ] {
      let arguments = [verb, path] + (verb == "restore" ? ["-D", "\(elsewhere.path)/state"] : [])
      let error = try thrown((any Error).self) { try CapturedOutput().run(arguments) }
      #expect("\(error)" == message)
    }
  }

  @Test("A directory whose name doesn't look like a file is called one by explain, too")
  func explainedDirectory() throws {
    let failure = try thrown(Failure.self) { try CapturedOutput().run(["explain", "."]) }
    #expect(failure.message == "“.” is a directory, not a recording")
  }

  @Test(
    "A directory given as a recording is called one, with a pattern for the files in it",
    arguments: [
      ["compare"], ["fold"], ["check"], ["reading"], ["sweep", "hideDistance=10..12"], ["explain"], ["timeline"],
      ["report", "-o", "-"], ["import"], ["record"],
    ])
  func directory(_ verb: [String]) throws {
    let daemon = try FakeDaemon { _, _, _ in .stream([], ends: true) }
    let arguments = verb + ["--socket", daemon.address.path, folder.path]
    let failure = try thrown(Failure.self) { try CapturedOutput().run(arguments) }
    #expect(failure.message == "“\(folder.path)” is a directory, not a recording")
    #expect(failure.hint == "Name the recordings in it:  \(folder.path)/*.ndjson")
  }
}
