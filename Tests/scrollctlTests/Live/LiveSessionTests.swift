import ScrollTesting
import Testing

@testable import scrollctl

extension LiveTests {
  @Suite("Sessions of a real daemons log as subjects")
  struct SessionTests: LiveSuite {
    @Test("fold, compare and timeline show the same for a logged session and its recording")
    func loggedSessions() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        let path = fixture("article-to-bottom")
        let client = "chromium/article-to-bottom"
        let sent = try JSONLine(#require(lines(["record", "--json", path] + socket).first))
        let session = try #require(sent.text("session"))
        for subject in [client, session] {
          let folded = try lines(["fold", "--json", subject] + socket)
          #expect(try folded.map(expected) == transitions(daemon, of: client))
          let first = try JSONLine(#require(folded.first))
          #expect(first.integer("position") == 2)
          #expect(first.text("session") == session)
          #expect(first.integer("line") == nil)
          #expect(
            try lines(["fold", subject] + socket)[1]
              == "    #3     +0.066 s  toolbar hidden, trigger scrollDown  — travelDown 36 ≥ hideDistance 10")
          let drawn = ["timeline", "--width", "90"]
          #expect(try lines(drawn + [subject] + socket) == lines(drawn + [path]))
          let policies = ["--policy", "classic", "--policy", "safari"]
          let rows = try lines(["compare", "--json", subject] + policies + socket)
          let offline = try lines(["compare", "--json", path] + policies)
          #expect(rows.count == offline.count)
          #expect(rows.suffix(2) == offline.suffix(2))
          #expect(try JSONLine(rows[0]).integer("number") == JSONLine(offline[0]).integer("line").map { $0 - 1 })
          #expect(try lines(["compare", subject] + policies + socket).contains { $0.contains("\(client)#") })
        }
        let none = String(repeating: "0", count: 32)
        #expect(throws: Failure("the log has no session \(none) that you may see")) {
          try CapturedOutput().run(["fold", none] + socket)
        }
        #expect {
          try CapturedOutput().run(["timeline", "nobody"] + socket)
        } throws: { error in
          (error as? Failure)?.message
            == "“nobody” is not a file, and no client “nobody” has a session that you may see"
        }
      }
    }

    @Test("Verbs that take files and clients take patterns and times, as reading does")
    func patternsAndTimes() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        let names = ["article-read", "pager"]
        for name in names { _ = try lines(["record", "--client", "reader/\(name)", fixture(name)] + socket) }
        _ = try lines(["record", "--client", "other", fixture("short-page")] + socket)
        let tally = ["compare", "--json", "--summary", "--policy", "safari"]
        let files = try lines(tally + names.map(fixture))
        let counts = { (lines: [String]) in lines.map { $0.split(separator: "\"flickered\"")[0] } }
        #expect(try counts(lines(tally + ["reader/*"] + socket)) == counts(files))
        #expect(try counts(lines(tally + ["reader/*", "--since", "1 hour ago"] + socket)) == counts(files))
        let swept = ["sweep", "--json", "hideDistance=10..20:10"]
        #expect(try lines(swept + ["reader/*"] + socket) == lines(swept + names.map(fixture)))
        let folded = try lines(["fold", "reader/*"] + socket)
        #expect(folded.filter { $0.hasSuffix(":") } == ["reader/article-read:", "reader/pager:"])
        let drawn = try lines(["timeline", "reader/*"] + socket)
        for name in names { #expect(drawn.contains { $0.hasPrefix("\(name): ") }) }
        #expect(try lines(["check", "reader/*"] + socket).count == 2)
        for verb in [["fold"], ["check"], ["timeline"], ["compare"], ["sweep", "hideDistance=1..2"]] {
          #expect(throws: Failure("no client of the log that you may see matches “nobody/*”")) {
            try CapturedOutput().run(verb + ["nobody/*"] + socket)
          }
          #expect(throws: Failure("no client of the log that you may see matches “reader/*” in the given time")) {
            try CapturedOutput().run(verb + ["reader/*", "--until", "1 hour ago"] + socket)
          }
          let message = "the daemon received nothing of the session of other in the given time"
          #expect(throws: Failure(message, hint: Hints.receivedTime)) {
            try CapturedOutput().run(verb + ["other", "--until", "1 hour ago"] + socket)
          }
          #expect(throws: UsageError.self) {
            try CapturedOutput().run(verb + ["other", "--since", "now", "--until", "1 hour ago"] + socket)
          }
        }
      }
    }

    @Test(
      "An argument that matches nothing in the log is named, and the exit status is 1",
      arguments: ["log", "sessions", "list"])
    func unmatchedPatterns(verb: String) throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", "--client", "reader", fixture("pager")] + socket)
        let limits = verb == "log" ? [[], ["-n", "1"], ["--since", "1 hour ago"]] : [[]]
        for limit in limits {
          #expect(try CapturedOutput().run([verb, "nothing/*", "read*"] + limit + socket) == .failed, "\(limit)")
          #expect(try CapturedOutput().run([verb, "r*", "read*"] + limit + socket) == .done, "\(limit)")
        }
        let alone = Result { try CapturedOutput().run([verb, "nothing/*"] + socket) }
        #expect((try? alone.get()) != .done)
      }
    }

    /// Once, a client and a pattern that matches it made a count of flickers double.
    @Test("A session that several arguments select counts once", arguments: ["compare", "sweep", "reading"])
    func overlappingArguments(verb: String) throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", "--client", "reader", fixture("article-read")] + socket)
        let arguments =
          switch verb {
          case "compare": ["compare", "--summary", "--policy", "safari"]
          case "sweep": ["sweep", "showDistance=1..4"]
          default: ["reading"]
          }
        let once = try lines(arguments + ["reader*"] + socket)
        #expect(try lines(arguments + ["reader*", "reader", "r*"] + socket) == once)
      }
    }

    @Test("A session's name beside others of its client selects it")
    func sessionNames() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        for name in ["article-read", "pager"] {
          _ = try lines(["record", "--client", "reader", fixture(name)] + socket)
        }
        let names = try lines(["fold", "reader*"] + socket).filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("reader@") })
        let tally = ["compare", "--json", "--summary", "--policy", "safari"]
        let fixtures = try ["article-read", "pager"].map { try counted(lines(tally + [fixture($0)])) }
        for (name, expected) in zip(names, fixtures) {
          #expect(try counted(lines(tally + [name] + socket)) == expected)
          #expect(try lines(["reading", "--json", name] + socket).count == 2)
          #expect(try lines(["explain", name] + socket) == lines(["explain", name, "--at", "now"] + socket))
        }
        #expect {
          try CapturedOutput().run(["fold", "reader@00000000"] + socket)
        } throws: { error in
          (error as? Failure)?.message.hasPrefix("“reader@00000000” is not a file, and no client “reader@00000000”")
            == true
        }
      }
    }

    @Test("A client's name takes its newest session, and the others are reported with a pattern that takes all")
    func otherSessions() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        for (client, name) in [("P01", "article-read"), ("P01", "pager"), ("P010", "pager"), ("P02", "pager")] {
          _ = try lines(["record", "--client", client, fixture(name)] + socket)
        }
        func notes(_ clients: String...) throws -> [Failure] {
          let command = try CommandLineParser.parse(["compare"] + clients + socket, verbs: Verb.all)
          let invocation = Invocation(command: command, output: CapturedOutput().output, style: Style())
          let loader = try SessionLoader(invocation, reading: clients)
          _ = try loader.load(clients)
          return loader.others
        }
        let found = try notes("P01", "P02")
        #expect(found.count == 1)
        #expect(found.first?.message.hasPrefix("“P01” has 2 sessions, of which only the newest is taken: P01@") == true)
        #expect(found.first?.hint == "“scrollctl sessions P01” lists them; the pattern “[P]01” takes them all.")
        #expect(try notes("[P]01").isEmpty && notes("P01", "P01*").isEmpty)
        let compared = ["compare", "--summary", "--policy", "safari"]
        #expect(try lines(compared + ["[P]01"] + socket).last == "2 sessions from the log.")
        #expect(try lines(compared + ["P01"] + socket).last == "1 session from the log.")
        let mixed = try lines(compared + ["P0*", fixture("pager")] + socket).last
        #expect(mixed == "5 sessions: 1 from 1 file, 4 from the log.")
      }
    }

    @Test("A client whose name looks like a session's id is found by its name")
    func clientCalledLikeASession() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        let name = String(repeating: "0a", count: 16)
        for client in [name, "other"] {
          _ = try lines(["record", "--client", client, fixture("pager")] + socket)
        }
        let records = try lines(["--json", "log", name] + socket).count
        #expect(records > 100)
        #expect(try lines(["--json", "fold", name] + socket).isEmpty == false)
        #expect(try lines(["export", name] + socket).count > 100)
        #expect(try lines(["forget", name, "--yes"] + socket) == ["Forgot \(records) records of “\(name)”."])
        #expect(try !lines(["--json", "log", "other"] + socket).isEmpty)
      }
    }

    @Test("explain, fold and timeline use the policy that a session was opened with")
    func ownPolicy() throws {
      let configuration = "[Policy readers]\nClients=chromium/*\nHideDistance=40\n"
      try withDaemon(configuration: configuration) { daemon, directory in
        let socket = ["--socket", daemon.address.path]
        let path = fixture("article-to-bottom")
        let client = "chromium/article-to-bottom"
        _ = try lines(["record", path] + socket)
        let offline = ["--policy", "readers", "--config", directory + "/scrolld.conf"]
        #expect(
          try lines(["fold", "--json", client] + socket).map(expected)
            == lines(["fold", "--json", path] + offline).map(expected))
        #expect(try lines(["fold", client] + socket)[1].contains("≥ hideDistance 40"))
        #expect(try lines(["timeline", client] + socket) == lines(["timeline", path] + offline))
        // With this policy, position 5 is the event that hides the toolbar: the file's line 5, the session's event 4.
        let explained = try lines(["explain", client, "--at", "6"] + socket)
        #expect(explained.contains { $0.contains("≥ hideDistance 40") })
        let other = try lines(["explain", client, "--at", "6", "--policy", "safari"] + socket)
        #expect(other.contains { $0.contains("≥ hideDistance 10") })
        let changed = try lines(["explain", client, "--at", "6", "--set", "hideDistance=20"] + socket)
        #expect(changed.contains { $0.contains("≥ hideDistance 20") })
      }
    }
  }
}
