import Foundation
import ScrollTesting
import Testing

@testable import scrollctl

extension LiveTests {
  @Suite("Moments of sessions in a real daemon")
  struct MomentTests: LiveSuite {
    @Test("A past state is the fold of the events until then")
    func past() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", fixture("article-to-bottom")] + socket)
        let client = "chromium/article-to-bottom"
        // Position 1 is the opening, which is line 1; position 373 is the event of line 373.
        let then = try JSONLine(#require(lines(["status", "--json", client, "--at", "373"] + socket).first))
        #expect(then.text("toolbar") == "shown")
        #expect(then.text("trigger") == "reachBottom")
        let before = try JSONLine(#require(lines(["status", "--json", client, "--at", "372"] + socket).first))
        #expect(before.text("toolbar") == "hidden")
        // The session was open at that moment, and is closed now.
        #expect(try lines(["status", client, "--at", "372"] + socket).contains { $0.hasPrefix("  Open since: ") })
        #expect(try lines(["status", client] + socket).contains { $0.hasPrefix("      Closed: ") })
        // The file's events have their lines as names, the daemon's their numbers.
        let online = try lines(["explain", client, "--at", "372"] + socket)
        let offline = try lines(["explain", fixture("article-to-bottom"), "--at", "372"])
        #expect(online.dropFirst().map { $0.replacing("Event 3,", with: "Line 4,") } == Array(offline.dropFirst()))
        // Each says first what is explained.
        let name = try #require(
          lines(["sessions", "--json", client] + socket).first.map { try JSONLine($0).text("session") })
        let session = try #require(name)
        #expect(online[0] == "\(client)@\(session.prefix(8)), after event 371, at +8.667 s")
        #expect(offline[0] == "article-to-bottom, after line 372, at +8.667 s")
      }
    }

    /// Once, status printed seconds, which --at took for a time before the event.
    @Test("The times that status prints are times for --at, by the client's clock")
    func timesOfStatus() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", fixture("article-to-bottom")] + socket)
        let client = "chromium/article-to-bottom"
        for position in ["5", "372"] {
          let printed = try lines(["status", client, "--at", position] + socket)
          let since = try #require(printed.first { $0.contains(" since 2") })
          let words = since.split(separator: ";")[0].split(separator: " ")
          let time = words.suffix(2).joined(separator: " ")
          let explained = try lines(["explain", client, "--by", "event-time", "--at", time] + socket)
          #expect(explained[1] == "The toolbar is hidden (policy safari).")
          #expect(explained[0].hasSuffix(", after event 3, at +0.066 s"), "\(explained[0])")
        }
      }
    }

    @Test("The forms in which verbs print events and sessions are moments and subjects of status and explain")
    func printedForms() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        for name in ["article-to-bottom", "pager"] {
          _ = try lines(["record", "--client", "reader", fixture(name)] + socket)
        }
        let summaries = try lines(["sessions", "--json", "--sort", "events"] + socket).map { try JSONLine($0) }
        let ids = summaries.compactMap { $0.text("session") }
        // By the daemon's order, the newest session is that of the pager.
        let current = try JSONLine(#require(lines(["status", "--json", "reader"] + socket).first))
        let newest = try #require(current.text("session"))
        let older = try #require(ids.first { $0 != newest })
        for event in ["#3", "reader#3", "reader #3", "reader@\(older.prefix(8)) #3", "\(older)#3"] {
          for subject in [older, "reader@\(older.prefix(8))"] {
            let state = try JSONLine(#require(lines(["status", "--json", subject, "--at", event] + socket).first))
            #expect(state.text("session") == older && state.text("trigger") == "scrollDown", "\(event)")
            #expect(
              try lines(["explain", subject, "--at", event] + socket)[0].hasSuffix(", after event 3, at +0.066 s"))
          }
        }
        for subject in ["reader", older] {
          for line in try lines(["fold", subject] + socket) {
            let place = String(line.split(separator: " ")[0])
            let explained = try lines(["explain", subject, "--at", place] + socket)[0]
            #expect(explained.contains(", after event \(place.dropFirst()), at "), "\(place)")
          }
        }
        #expect(try lines(["status", older] + socket).contains { $0.hasPrefix("      Closed: ") })
        #expect(try lines(["status", older, "--at", "#3"] + socket).contains { $0.hasPrefix("  Open since: ") })
        #expect(try lines(["status", newest] + socket) == lines(["status", "reader"] + socket))
        #expect(
          try lines(["status", "--at", "reader #3", "reader"] + socket)
            == lines(["status", "--at", "#3", "reader"] + socket))
        let other = try thrown(Failure.self) {
          try CapturedOutput().run(["status", "reader", "--at", "reader@\(older.prefix(8))#3"] + socket)
        }
        #expect(other.message.contains("is an event of another session than \(newest) of reader"))
        let missing = try thrown(Failure.self) {
          try CapturedOutput().run(["status", String(repeating: "0", count: 32)] + socket)
        }
        #expect(missing.message.hasPrefix("the log has no session 0000"))
      }
    }

    @Test("A time in whole seconds, as tables have it, means its second if nothing happened before")
    func wholeSeconds() throws {
      try withDaemon { daemon, directory in
        let socket = ["--socket", daemon.address.path]
        let path = directory + "/a.ndjson"
        let text = [
          #"{"kind":"open","time":1790000000201000,"client":"a"}"#,
          #"{"kind":"layout","time":1790000001235000,"contentHeight":5000,"frameHeight":500}"#,
          #"{"kind":"scroll","time":1790000001300000,"x":0,"y":100}"#, #"{"kind":"close","time":1790000002000000}"#,
        ]
        try text.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        _ = try lines(["import", path] + socket)
        func place(_ time: String) throws -> String {
          try lines(["explain", "a", "--by", "event-time", "--at", time] + socket)[0]
        }
        // The session was opened within this second, and had no event yet.
        #expect(try place("2026-09-21T14:13:20Z").hasSuffix(", before its first event"))
        let state = ["status", "--json", "a", "--by", "event-time", "--at", "2026-09-21T14:13:20Z"]
        #expect(try JSONLine(#require(lines(state + socket).first)).text("toolbar") == "shown")
        // Something has happened by then, so that the time is what it says.
        #expect(try place("2026-09-21T14:13:21Z").hasSuffix(", before its first event"))
        #expect(try place("2026-09-21T14:13:21.235Z").contains(", after event 1,"))
        #expect(try place("2026-09-21T14:13:22Z").contains(", after event 2,"))
        let early = try thrown(Failure.self) { try place("2026-09-21T14:13:19Z") }
        #expect(
          early.message.hasPrefix("the newest session of a was not open yet by then: it was opened at 2026-09-21 "))
        let events = text.filter { !$0.contains("open") }
        try events.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try lines(["explain", path, "--at", "2026-09-21T14:13:21Z"])[0].contains(", after line 2,"))
      }
    }

    @Test("A time in the future is an error, by either clock")
    func future() throws {
      try withDaemon { daemon, _ in
        let socket = ["--socket", daemon.address.path]
        _ = try lines(["record", "--client", "reader", fixture("pager")] + socket)
        for verb in ["status", "explain"] {
          for clock in [[], ["--by", "event-time"]] {
            let failure = try thrown(Failure.self) {
              try CapturedOutput().run([verb, "reader", "--at", "@9999999999"] + clock + socket)
            }
            #expect(failure.message.hasPrefix("--at is in the future: 2286-11-2"), "\(failure.message)")
          }
        }
        let file = try thrown(Failure.self) {
          try CapturedOutput().run(["explain", fixture("pager"), "--at", "@9999999999"])
        }
        #expect(file.message.hasPrefix("--at is in the future: 2286-11-2"))
        let position = try thrown(Failure.self) {
          try CapturedOutput().run(["status", "reader", "--at", "99999"] + socket)
        }
        #expect(position.message.hasPrefix("position 99999 is beyond the end of the log: its last position is "))
      }
    }
  }
}
