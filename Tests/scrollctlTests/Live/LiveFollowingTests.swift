import ScrollClient
import ScrollTesting
import Testing

@testable import scrollctl

extension LiveTests {
  @Suite("Following a real daemon")
  struct FollowingTests: LiveSuite {
    @Test("demo prints transitions, and verifies that a restart changes nothing")
    func demo() throws {
      let text = try lines(["demo", "--speed", "50"])
      #expect(text.contains("+0.066 s  toolbar hidden, trigger scrollDown  — travelDown 36 ≥ hideDistance 10"))
      #expect(text.contains { $0.hasPrefix("413 events sent, 12 transitions pushed: the toolbar hid twice") })
      #expect(text.contains { $0.hasPrefix("The same state (toolbar shown), and the same 414 records") })
    }

    @Test("The daemon pushes the transitions that fold prints, and its log has the recording")
    func pushedIsFolded() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        for name in try Fixtures.names(in: "recordings") {
          let path = fixture(name)
          let client = "test/\(name)"
          let sent = try JSONLine(#require(lines(["record", "--json", "--client", client, path] + socket).first))
          let session = try #require(sent.text("session"))
          #expect(try lines(["list"] + socket).last?.hasPrefix("0 clients; “scrollctl sessions” lists ") == true)

          let pushed = try transitions(daemon, of: client)
          let folded = try lines(["fold", "--json", path]).map { try expected($0) }
          #expect(pushed == folded)

          let logged = try lines(["--json", "log", session] + socket).map { try JSONLine($0) }
          let original = try Fixtures.recording(name, in: "recordings").events
          #expect(logged.compactMap { $0.integer("number") } == (0..<original.count).map { Int64($0 + 1) })
        }
      }
    }

    /// The daemon restarts while the first line is printed.
    @Test("log -f continues after a daemon that restarts: it shows each record once")
    func followAcrossARestart() throws {
      let directory = try TemporaryDirectory(prefix: "scrolld-test-")
      defer { directory.remove() }
      let interruption = Interruption()
      defer { interruption.release() }
      func start() throws -> DemoDaemon {
        try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
      }
      var daemon = try start()
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", "--client", "a", fixture("pager")] + socket)
      let before = try lines(["log"] + socket).count
      var (text, hasRestarted, failure) = ("", false, nil as (any Error)?)
      let output = Output { piece throws(OutputError) in
        text += String(decoding: piece, as: UTF8.self)
        do {
          if !hasRestarted {
            hasRestarted = true
            try daemon.stop()
            daemon = try start()
            _ = try self.lines(["record", "--client", "b", self.fixture("pager")] + socket)
          }
        } catch {
          failure = error
          throw .readerGone
        }
        if text.split(separator: "\n").count(where: { !$0.hasPrefix("--") }) >= 2 * (before - 1) { throw .readerGone }
      }
      let command = try CommandLineParser.parse(["log", "-f", "-n", "1000"] + socket, verbs: Verb.all)
      #expect(throws: OutputError.readerGone) {
        _ = try command.verb?.run(Invocation(command: command, output: output, style: Style()))
      }
      #expect(failure == nil)
      let shown = text.split(separator: "\n").map(String.init)
      let notes = shown.filter { $0.hasPrefix("--") }
      #expect(notes.count == 3)
      #expect(notes.dropFirst().first?.hasPrefix("-- waiting for the daemon: ") == true)
      #expect(notes.last == "-- the daemon is back --")
      #expect(try shown.filter { !$0.hasPrefix("--") } == Array(lines(["log"] + socket).dropFirst()))
      try daemon.stop()
    }

    @Test("scroll-to says that a session is closed, by its id and by its name")
    func scrollToClosed() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        let sent = try lines(["record", "--json", "--client", "a", fixture("pager")] + socket)
        let line = try JSONLine(#require(sent.first))
        let session = try #require(line.text("session"))
        for name in [session, "a@\(session.prefix(8))", "a"] {
          let failure = try thrown(Failure.self) { try CapturedOutput().run(["scroll-to", name, "top"] + socket) }
          #expect(failure.message.contains("\(session)") && failure.message.contains(" was closed at "), "\(name)")
        }
      }
    }

    @Test("A follower sees requests and responses as they come")
    func followRequests() throws {
      try withDaemon { daemon, _ in
        let client = RequestedClient(daemon.address)
        try client.open()
        client.listen()
        let follower = try LogFollower(LogQuery(), at: daemon.address)
        while case .element(let update) = try follower.next(), update != .caughtUp {}
        _ = try ServiceConnection(daemon.address).scroll(RequestedClient.name, to: .page(1))
        var found: [LogEntry.Record] = []
        let deadline = ContinuousClock.now + .seconds(25)
        // Neither an event nor a heartbeat comes within this time.
        while found.count < 2,
          case .element(.entry(let entry)) = try follower.next(timeout: max(.zero, deadline - .now))
        {
          found.append(entry.record)
        }
        guard found.count == 2, case .request(let request) = found[0], case .response(let response) = found[1] else {
          Issue.record("a request and its response must come: \(found)")
          return
        }
        #expect(request.target == .page(1))
        #expect(response.done)
      }
    }

    @Test("scroll-to reports the client's answer")
    func scrollTo() throws {
      try withDaemon { daemon, _ in
        let client = RequestedClient(daemon.address)
        let arguments = ["--wait", "30", "--socket", daemon.address.path]
        try client.open()
        #expect {
          try CapturedOutput().run(["scroll-to", RequestedClient.name, "top"] + arguments)
        } throws: { error in
          (error as? Failure)?.message == "the client “live/requested” is away: it is not listening for requests"
        }
        client.listen()
        #expect(
          try lines(["scroll-to", RequestedClient.name, "page", "2"] + arguments)
            == ["live/requested has scrolled to page 2 (request 2)."])
        #expect {
          try CapturedOutput().run(["scroll-to", RequestedClient.name, "-390,0"] + arguments)
        } throws: { error in
          (error as? Failure)?.message == "the client “live/requested” refused to scroll to -390,0: not now"
        }
        // The session's id and name select its client.
        let session = String(repeating: "0", count: 15) + "1" + String(repeating: "0", count: 15) + "2"
        for name in [session, "\(RequestedClient.name)@00000000"] {
          #expect(
            try lines(["scroll-to", name, "page", "1"] + arguments).first?.hasPrefix("live/requested has scrolled")
              == true)
        }
        let log = try lines(["--json", "log", RequestedClient.name, "--socket", daemon.address.path])
        let kinds = ["open"] + Array(repeating: ["request", "response"], count: 4).joined()
        #expect(log.count == kinds.count)
        for (line, kind) in zip(log, kinds) { #expect(line.contains(#""record":{"kind":"\#(kind)","#)) }
      }
    }
  }
}
