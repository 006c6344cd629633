import ScrollModel
import Testing

@testable import scrollctl

@Suite("Command lines")
struct CommandLineTests {
  private func parse(_ arguments: [String]) throws(UsageError) -> ParsedCommand {
    try CommandLineParser.parse(arguments, verbs: Verb.all)
  }

  private func error(_ arguments: String...) -> UsageError? {
    do throws(UsageError) {
      _ = try parse(arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test("Options may come before the verb, after it and after its arguments")
  func places() throws {
    let command = try parse(["--json", "fold", "--policy=classic", "a", "--set", "x=1", "b", "--set=y=2", "-"])
    #expect(command.verb?.name == "fold")
    #expect(command.arguments == ["a", "b", "-"])
    #expect(command.has(.json))
    #expect(command.text(.policy) == "classic")
    #expect(command.texts(.set) == ["x=1", "y=2"])
  }

  @Test("Options that mean the same for each verb may come before it, but not before one that has none of them")
  func anywhere() throws {
    for arguments in [["--no-pager", "log"], ["log", "--no-pager"]] { #expect(try parse(arguments).has(.noPager)) }
    #expect(try parse(["--uid", "1000", "sessions"]).uid() == 1000)
    #expect(try parse(["--uid=1000", "log", "-n1"]).uid() == 1000)
    let problem = try #require(error("--no-pager", "rotate"))
    #expect(problem.description.hasPrefix("rotate has no option --no-pager: it belongs to “explain”, "))
    #expect(error("--uid", "1", "sessions", "--uid", "2") == .repeatedOption("uid"))
  }

  @Test("After --, every word is an argument")
  func end() throws {
    let command = try parse(["fold", "--", "--policy", "-x"])
    #expect(command.arguments == ["--policy", "-x"])
  }

  @Test("Short options can be combined, and the last one can have a value")
  func letters() throws {
    for arguments in [["log", "-n5"], ["log", "-n", "5"], ["log", "--lines", "5"], ["log", "--lines=5"]] {
      #expect(try parse(arguments).options["lines"] == ["5"])
    }
    #expect(try parse(["log", "-fh"]).has(.help))
  }

  @Test("Help works without arguments")
  func help() throws {
    #expect(try parse(["fold", "--help"]).has(.help))
    #expect(try parse(["-h"]).verb == nil)
    let asked = try parse(["help", "fold"])
    #expect(asked.verb?.name == "fold")
    #expect(asked.has(.help))
  }

  @Test("Errors suggest what was meant")
  func errors() {
    #expect(error("flod", "x") == .unknownVerb("flod", near: "fold"))
    #expect(error("stat") == .unknownVerb("stat", near: "status"))
    #expect(error("xyzzy") == .unknownVerb("xyzzy", near: nil))
    #expect(error("fold") == .missingArgument("FILE|GLOB|CLIENT|SESSION", verb: "fold"))
    #expect(error("policies", "x") == .tooManyArguments("x", verb: "policies"))
    #expect(error("fold", "--polcy", "x", "f") == .unknownOption("--polcy", verb: "fold", near: "--policy", owners: []))
    #expect(error("fold", "--policy") == .missingValue(option: "policy", value: "NAME"))
    #expect(error("fold", "--json=1", "f") == .unexpectedValue(option: "json"))
    #expect(error("fold", "--policy", "a", "--policy", "b", "f") == .repeatedOption("policy"))
    #expect(error("--frames", "watch") == .unknownOption("--frames", verb: nil, near: nil, owners: ["watch"]))
    #expect(error("list", "-f") == .unknownOption("-f", verb: "list", near: nil, owners: ["log"]))
  }

  @Test("Error messages name the fix")
  func texts() throws {
    #expect(error("flod")?.description == "unknown verb “flod”: did you mean “fold”?")
    #expect(error("--frames", "watch")?.description == "--frames belongs to “watch”: put it after the verb")
    #expect(error("list", "-f")?.description == "list has no option -f: it belongs to “log”")
    let hint = try HelpText(verbs: Verb.all).hint(for: #require(error("fold")))
    #expect(hint.contains("fold FILE|GLOB|CLIENT|SESSION…"))
  }

  @Test("Numbers must be whole and within their range")
  func numbers() throws {
    let command = try parse(["watch", "--after", "12"])
    #expect(try command.integer(.after) == 12)
    for text in ["-1", "x", "1.5", "99999999999999999999"] {
      let bad = try parse(["watch", "--after", text])
      #expect(throws: UsageError.self) { try bad.integer(.after) }
    }
  }

  @Test("The command line selects one daemon only")
  func address() throws {
    let both = try parse(["--system", "--socket", "/s", "list"])
    #expect(throws: UsageError.conflict("system", "socket")) { try both.address() }
    #expect(try parse(["list", "--socket", "/s"]).address().path == "/s")
    #expect(try parse(["list", "--system"]).address() == .system)
  }

  @Test("Policies are presets with changed parameters")
  func policies() throws {
    let policy = try PolicyChoice().policy(named: "safari", set: ["revealAtBottom=arrival", "hideDistance=40"])
    #expect(policy.parameters.contains { $0.name == "revealAtBottom" && $0.value == "arrival" })
    #expect(policy.parameters.contains { $0.name == "hideDistance" && $0.value == "40" })
    #expect(throws: UsageError.self) { try PolicyChoice().policy(named: "safarri") }
    for bad in ["hideDistance", "=4", "hideDistance=-1", "hideDistance=nan", "colour=1", "revealAtBottom=now"] {
      #expect(throws: UsageError.self, "\(bad)") { try PolicyChoice().policy(named: "safari", set: [bad]) }
    }
    #expect(throws: UsageError.self) { try PolicyChoice().policy(named: "classic", set: ["hideDistance=1"]) }
  }

  @Test("An argument of several words takes no more than those, and an offset may be negative")
  func words() throws {
    let command = try parse(["scroll-to", "a", "page", "2", "--wait", "0"])
    #expect(command.arguments == ["a", "page", "2"])
    #expect(error("scroll-to", "a", "page", "2", "3") == .tooManyArguments("3", verb: "scroll-to"))
    #expect(error("scroll-to", "a") == .missingArgument("top|bottom|page N|X,Y", verb: "scroll-to"))
    #expect(try parse(["scroll-to", "a", "-390,0"]).arguments == ["a", "-390,0"])
    #expect(try parse(["scroll-to", "a", "-.5,0"]).arguments == ["a", "-.5,0"])
    #expect(error("scroll-to", "a", "-x") == .unknownOption("-x", verb: "scroll-to", near: nil, owners: []))
  }

  @Test("A subject is a file if it exists or looks like one, a session if it has 32 digits, else a client")
  func subjects() throws {
    let session = try #require(SessionID(RecordVerbTests.session))
    #expect(Subject("-") == .file("-"))
    #expect(Subject("/dev/null") == .file("/dev/null"))
    #expect(Subject("article.ndjson") == .file("article.ndjson"))
    #expect(Subject("./reader") == .file("./reader"))
    #expect(Subject("/nowhere") == .file("/nowhere"))
    #expect(Subject(RecordVerbTests.session) == .session(session))
    #expect(Subject("reader/main") == .client("reader/main"))
    #expect(Subject("reader.main") == .client("reader.main"))
  }
}
