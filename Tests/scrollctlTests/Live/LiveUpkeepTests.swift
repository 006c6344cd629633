import Foundation
import ScrollClient
import ScrollLog
import ScrollTesting
import Testing

@testable import scrollctl

extension LiveTests {
  @Suite("The files of a real daemon")
  struct UpkeepTests: LiveSuite {
    /// Once, all of these failed with "the log no longer has this position", although nobody had named one.
    @Test("A log that has lost its oldest records is read from its beginning, forwards and backwards")
    func trimmed() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", "--client", "a/old", fixture("article-read")] + socket)
        _ = try lines(["rotate"] + socket)
        _ = try lines(["record", "--client", "a/new", fixture("short-page")] + socket)
        let before = try lines(["log", "--json", "a/new"] + socket)
        _ = try lines(["vacuum", "--max-age", "0s"] + socket)
        #expect(try lines(["log", "--json"] + socket) == before, "the log still has the old segment")
        for arguments in [["-n", "5000"], ["--since", "yesterday"], ["--until", "now"], ["a/new", "-n", "5000"]] {
          #expect(try lines(["log", "--json"] + arguments + socket) == before, "\(arguments)")
        }
        #expect(try lines(["log", "--json", "-r"] + socket) == before.reversed())
        #expect(throws: Failure("the log has no record of “a/none” that you may see")) {
          try CapturedOutput().run(["log", "a/none", "-n", "1"] + socket)
        }
        let refusal = try thrown(ServiceError.self) { try CapturedOutput().run(["log", "--after", "0"] + socket) }
        guard case .positionTrimmed? = refusal.refusal else {
          Issue.record("unexpected error: \(String(describing: refusal))")
          return
        }
      }
    }

    @Test("verify and forgotten ask the daemon at a socket where its state is")
    func stateOfASocket() throws {
      try withDaemon { daemon, directory in
        let socket = ["--socket", daemon.address.path]
        #expect(try lines(["verify"] + socket) == lines(["verify", directory + "/state"]))
        #expect(try lines(["forgotten"] + socket) == ["\(directory)/state: nothing was forgotten."])
        let failure = try thrown(Failure.self) { try CapturedOutput().run(["verify", "--socket", "/nowhere/socket"]) }
        #expect(
          failure.message.hasPrefix(
            "cannot ask the daemon that --socket selects for its state directory: cannot connect to "))
        let held = try thrown(Failure.self) {
          _ = try CapturedOutput().run(["backup", directory + "/copy"] + socket)
          return try CapturedOutput().run(["restore", directory + "/copy", "-D", directory + "/state"])
        }
        #expect(held.hint?.contains("systemctl") == false)
      }
    }

    @Test("verify accepts an intact log, and reports damage by file and byte")
    func verify() throws {
      let directory = try TemporaryDirectory(prefix: "scrolld-test-")
      defer { directory.remove() }
      let interruption = Interruption()
      defer { interruption.release() }
      let daemon = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", fixture("article-read")] + socket)
      _ = try lines(["rotate"] + socket)
      _ = try lines(["record", fixture("pager")] + socket)
      try daemon.stop()
      let state = directory.path + "/state"
      #expect(try lines(["verify", state]).allSatisfy { $0.contains(": ok, positions ") })

      let names = try FileManager.default.contentsOfDirectory(atPath: state + "/log").sorted()
      let first = state + "/log/" + (try #require(names.first { $0.hasSuffix(".scrolllog") }))
      // In the middle, because the file may already be packed, and its length is unknown.
      try flip(byte: UInt64(Data(contentsOf: URL(fileURLWithPath: first)).count / 2), of: first)
      let captured = CapturedOutput()
      #expect(try captured.run(["verify", state]) == .failed)
      #expect(captured.text.contains("\(first): byte "))
      #expect(captured.text.contains("“scrollctl repair” makes the good records of this file readable"))
      let repaired = try lines(["repair", state])
      #expect(repaired.contains { $0.hasPrefix("Lost: position") })
      // The only packed block was bad.
      #expect(repaired.last == "The file has no other record.")
      let verified = try lines(["verify", state])
      #expect(verified.contains { $0.contains(": a repair could not keep position") })
      #expect(verified.allSatisfy { !$0.contains(": damaged") })
    }

    @Test("vacuum removes the oldest part of the log, and the rest stays readable")
    func vacuum() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", fixture("pager")] + socket)
        _ = try lines(["rotate"] + socket)
        _ = try lines(["record", fixture("pager")] + socket)
        #expect(
          try lines(["vacuum", "--max-age", "1day"] + socket) == [
            "Freed 0B; the log begins at position 1.",
            "The daemon removes whole files, and never the one that it writes to; “scrollctl rotate” starts a new one.",
          ])
        let done = try JSONLine(#require(lines(["--json", "vacuum", "--max-use", "1K"] + socket).first))
        let first = try #require(done.integer("firstPosition"))
        #expect(first > 1)
        #expect(try #require(done.integer("freed")) > 0)
        let logged = try lines(["--json", "log"] + socket).map { try JSONLine($0) }
        #expect(logged.first?.integer("position") == first)
        #expect(throws: ServiceError.refused(.positionTrimmed(first: first))) {
          try CapturedOutput().run(["log", "--after", "0"] + socket)
        }
      }
    }

    @Test("forget removes a session or a client from all files")
    func forget() throws {
      try withDaemon { daemon, directory in
        let socket = ["--socket", daemon.address.path]
        var sessions: [String] = []
        for client in ["test/secret", "test/secret", "test/other"] {
          let sent = try lines(["record", "--json", "--client", client, fixture("pager")] + socket)
          let line = try JSONLine(#require(sent.first))
          sessions.append(try #require(line.text("session")))
        }
        #expect(try lines(["forget", sessions[0], "--yes"] + socket).first?.hasPrefix("Forgot ") == true)
        #expect(throws: Failure.self) { try CapturedOutput().run(["--json", "log", sessions[0]] + socket) }
        #expect(try !lines(["--json", "log", sessions[1]] + socket).isEmpty)
        #expect(try lines(["forget", "test/secret", "--yes"] + socket).first?.hasPrefix("Forgot ") == true)
        for (name, isPattern) in [("test/secret", false), ("test/*", true)] {
          do {
            _ = try lines(["forget", name, "--yes"] + socket)
            Issue.record("something of \(name) was forgotten")
          } catch let failure as Failure {
            #expect(failure.message == "the log has nothing of “\(name)”")
            #expect(failure.hint?.contains(Hints.wholeName) == isPattern)
          }
        }
        #expect(try !lines(["--json", "log", "test/other"] + socket).isEmpty)
        let log = URL(fileURLWithPath: directory + "/state/log")
        for file in try FileManager.default.contentsOfDirectory(at: log, includingPropertiesForKeys: nil) {
          #expect(try Data(contentsOf: file).range(of: Data("test/secret".utf8)) == nil)
        }
      }
    }

    @Test("forget takes the names of sessions that other verbs print, and leaves the client's others")
    func forgetByName() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        var sessions: [String] = []
        for _ in 0..<2 {
          let sent = try lines(["record", "--json", "--client", "a", fixture("pager")] + socket)
          let line = try JSONLine(#require(sent.first))
          sessions.append(try #require(line.text("session")))
        }
        let name = "a@\(sessions[0].prefix(8))"
        let preview = try #require(lines(["forget", "--dry-run", name] + socket).first)
        #expect(preview.hasSuffix(" of the session \(sessions[0]) of “a”."))
        let forgotten = try #require(lines(["forget", "--yes", name] + socket).first)
        #expect(forgotten.split(separator: " ")[1] == preview.split(separator: " ")[2])
        #expect(try !lines(["--json", "log", sessions[1]] + socket).isEmpty)
        // It is gone now, and nothing else goes by this name.
        let missing = try thrown(Failure.self) { try CapturedOutput().run(["forget", "--yes", name] + socket) }
        #expect(missing.message == "the log has no session “\(name)” that you may see, or several")
        #expect(
          try lines(["--json", "forgotten", "--socket", daemon.address.path]).allSatisfy { !$0.contains("hash") })
      }
    }

    @Test("A dry run counts as many records as forgetting an open session then removes")
    func forgetOpen() throws {
      try withDaemon { daemon, _ in
        let client = RequestedClient(daemon.address)
        try client.open()
        let socket = ["--socket", daemon.address.path]
        let preview = try lines(["forget", "--dry-run", RequestedClient.name] + socket)
        #expect(
          preview == ["Would forget 2 records of 1 session of “live/requested”, which is open and closed first."])
        #expect(
          try lines(["forget", "--yes", RequestedClient.name] + socket) == ["Forgot 2 records of “live/requested”."])
      }
    }

    @Test("repair sets damage aside that keeps a daemon from starting, and reports what is lost")
    func repair() throws {
      let directory = try TemporaryDirectory(prefix: "scrolld-test-")
      defer { directory.remove() }
      let interruption = Interruption()
      defer { interruption.release() }
      let daemon = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
      let socket = ["--socket", daemon.address.path]
      _ = try lines(["record", fixture("article-read")] + socket)
      let state = directory.path + "/state"
      #expect(throws: OpenError.locked(path: state + "/lock")) { try CapturedOutput().run(["repair", state]) }
      try daemon.stop()
      let segment = state + "/log/00000000000000000001.scrolllog"
      try flip(byte: 2000, of: segment)

      let planned = try JSONLine(#require(lines(["--json", "repair", "--dry-run", state]).first))
      #expect(planned.text("directory") == state)
      #expect(try CapturedOutput().run(["verify", state]) == .failed)
      let done = try lines(["repair", state])
      #expect(done.first?.hasPrefix("\(segment), byte ") == true)
      let lost = try #require(done.first { $0.hasPrefix("Lost: positions ") })
      let positions = lost.split { !$0.isNumber }.map(String.init)
      // What is lost stays lost. Nothing more can be done about it, so it is no damage, but it is named.
      let verified = CapturedOutput()
      #expect(try verified.run(["verify", state]) == .done)
      #expect(verified.lines.allSatisfy { !$0.contains(": byte ") })
      let note = "\(segment): a repair could not keep positions \(positions[0]) to \(positions[1]): "
      #expect(verified.lines.count { $0.hasPrefix(note) } == 1)
      let again = try DemoDaemon(program: DemoDaemon.program(), directory: directory.path, interruption)
      let read = ["log", "--json", "--socket", again.address.path]
      // Whoever reads across the gap gets everything else, and is told.
      let across = CapturedOutput()
      #expect(try across.run(read) == .done)
      let behind = try lines(read + ["--after", positions[1]])
      #expect(!behind.isEmpty && behind.allSatisfy { across.lines.map(String.init).contains($0) })
      #expect(across.lines.count > behind.count)
      // Sessions that came later are whole, whatever reads them.
      let later = ["--socket", again.address.path]
      _ = try lines(["record", "--client", "later", fixture("pager")] + later)
      for verb in [
        ["log", "-n", "1"], ["log", "-r", "-n", "1"], ["status", "later"], ["explain", "later"],
        ["fold", "later"],
      ] {
        #expect(try !lines(verb + later).isEmpty, "\(verb)")
      }
      #expect(throws: Failure.self) { try CapturedOutput().run(["fold", "chromium/article-read"] + later) }
      try again.stop()
    }
  }
}
