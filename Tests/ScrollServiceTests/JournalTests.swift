import Platform
import ScrollLog
import ScrollModel
import Testing

@testable import ScrollService

@Suite struct JournalTests {
  private let location = CodeLocation(file: "M/f.swift", line: 7, function: "f()")

  @Test func theCatalogExplainsEveryKindAndNothingElse() throws {
    var explained: Set<String> = []
    let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let text = String(decoding: try TextFile.read(repository + "/systemd/scrolld.catalog"), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where line.hasPrefix("-- ") {
      let id = String(line.dropFirst(3))
      #expect(explained.insert(id).inserted, "\(id) appears twice")
      try #require(index + 5 < lines.count)
      #expect(lines[index + 1].hasPrefix("Subject: "), "\(id)")
      #expect(lines[index + 2] == "Defined-By: scrolld", "\(id)")
      #expect(lines[index + 3].hasPrefix("Documentation: man:scroll"), "\(id)")
      #expect(lines[index + 4] == "" && !lines[index + 5].isEmpty, "\(id) is not explained")
    }
    #expect(explained == Set(JournalKind.allCases.map(\.rawValue)))
  }

  @Test func messageIdsAreValid() {
    for kind in JournalKind.allCases {
      #expect(kind.rawValue.count == 32 && kind.rawValue.allSatisfy { "0123456789abcdef".contains($0) })
      // A random UUID by RFC 9562: version 4, the usual variant.
      let digits = Array(kind.rawValue)
      #expect(digits[12] == "4" && "89ab".contains(digits[16]), "\(kind)")
    }
  }

  @Test func anEntryHasItsFields() {
    let error = ConfigurationError(file: "/etc/scrolld/scrolld.conf", line: 3, key: "Sync", reason: "no")
    #expect(
      JournalEntry.configurationKept(error).assignments(from: location) == [
        "MESSAGE=invalid configuration, keeping the old one: /etc/scrolld/scrolld.conf:3: Sync=: no",
        "MESSAGE_ID=1788f8f4137d42bb8a55b3a79fb99603", "PRIORITY=3", "CODE_FILE=M/f.swift", "CODE_LINE=7",
        "CODE_FUNC=f()", "CONFIG_FILE=/etc/scrolld/scrolld.conf", "CONFIG_LINE=3",
      ])
  }

  @Test func anInvalidConfigurationNamesTheCommandThatListsAllMistakes() {
    let texts = [0, 1, 18].map { others in
      var error = ConfigurationError(file: "/x.conf", line: 2, key: "Sync", reason: "no")
      (error.others, error.check) = (others, "scrolld --check-config")
      return JournalEntry.configurationInvalid(error).assignments(from: location)[0]
    }
    #expect(
      texts == [
        "MESSAGE=invalid configuration: /x.conf:2: Sync=: no",
        "MESSAGE=invalid configuration: /x.conf:2: Sync=: no; 1 more mistake: “scrolld --check-config” lists all",
        "MESSAGE=invalid configuration: /x.conf:2: Sync=: no; 18 more mistakes: “scrolld --check-config” lists all",
      ])
  }

  @Test func controlCharactersAreReplaced() {
    let entry = JournalEntry(.failed, "a\nb\u{1b}[31m\u{7f}\u{85}\u{2028}é", [.client("x\ny\0z")])
    #expect(entry.line == "a�b�[31m���é")
    let assignments = entry.assignments(from: location)
    #expect(assignments.first == "MESSAGE=a�b�[31m���é")
    #expect(assignments.last == "SCROLL_CLIENT=x�y�z")
  }

  @Test func sessionsAreLoggedForDebuggingWithALimit() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    for index in 0..<30 {
      let opened = try client.call("Open", ["client": .string("c\(index)")])
      try client.call("Close", ["session": opened["session"]])
    }
    let entries = daemon.journal.entries.filter { $0.kind == .sessionOpened || $0.kind == .sessionClosed }
    #expect(entries.count == MessageLimit.burst)
    #expect(entries.first?.line == "c0 of user 1000 opened")
    #expect(entries.last?.line == "c9 of user 1000 closed (asked)")
    let fields = try #require(entries.last).assignments(from: location)
    #expect(fields.contains("PRIORITY=7") && fields.contains("SCROLL_CLIENT=c9") && fields.contains("SCROLL_USER=1000"))
    #expect(fields.contains("SCROLL_POSITION=20") && fields.contains { $0.hasPrefix("SCROLL_SESSION=") })
    daemon.wait(seconds: 10)
    #expect(daemon.journal.entries.last?.line == "40 more sessions were opened or closed")
    #expect(daemon.journal.messages.isEmpty, "debugging entries are among the messages")
  }

  @Test func aMethodNameOf8MBFilledALineOf16MB() {
    let name = "org.scrolld.Recorder." + String(repeating: "é\u{1}", count: 100_000)
    let entries: [JournalEntry] = [
      .onewayRefused(name, .methodNotImplemented(name), of: 1000), .permissionDenied(name, to: 1000),
      .protocolViolated(.unknownMember(name), by: 1000), .failed(name),
    ]
    for entry in entries {
      #expect(entry.line.utf8.count < 2 * JournalEntry.longestText, "\(entry.kind)")
      #expect(entry.line.contains("… (300"), "\(entry.kind): what is cut is marked")
      let fields = entry.assignments(from: location)
      #expect(fields.allSatisfy { $0.utf8.count < 2 * JournalEntry.longestText }, "\(entry.kind)")
    }
  }

  @Test func aTextIsCutBetweenCharacters() {
    #expect(JournalEntry.shortened("aé", to: 2) == "a… (3 bytes)")
    #expect(JournalEntry.shortened("aé", to: 3) == "aé")
    #expect(JournalEntry.shortened("\u{1F600}x", to: 3) == "… (5 bytes)")
  }

  @Test func readingADamagedSegmentAgainAndAgainFloodedTheJournal() throws {
    let fixture = try LogFixture()
    let damage = LogDamage(file: "/log/1", offset: 7, reason: "bad")
    for _ in 0..<1044 { _ = fixture.history.report(.logDamaged(damage)) }
    #expect(fixture.journal.messages.count == MessageLimit.burst)
    fixture.clock.advance(seconds: 10)
    fixture.history.tick(fixture.clock.monotonic)
    #expect(fixture.journal.entries.last?.kind == .entriesSuppressed)
    #expect(
      fixture.journal.messages.last
        == "1024 messages were suppressed, the last one: " + JournalEntry.readFailed(.logDamaged(damage)).line)
    fixture.history.tick(fixture.clock.monotonic)
    #expect(fixture.journal.messages.count == MessageLimit.burst + 1)
  }

  @Test func manyUsersTogetherDoNotFloodTheJournal() {
    let (clock, recorder) = (HandClock(), JournalRecorder())
    let users = UserLimits(ConnectionLimits(Configuration()), clock: clock.service, journal: recorder.journal)
    for user in 1000..<1300 as Range<UInt32> {
      users.logRefusal(.connection, of: users.share(of: user), .connectionRefused(of: user))
    }
    #expect(recorder.messages.count == MessageLimit.burst)
    clock.advance(seconds: 10)
    users.tick(clock.monotonic)
    #expect(recorder.messages.last?.hasPrefix("280 messages were suppressed, the last one: ") == true)
  }
}
