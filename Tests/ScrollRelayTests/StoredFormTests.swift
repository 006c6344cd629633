import JSON
import ScrollModel
import Testing

@testable import ScrollRelay

/// The forms in which texts, numbers and rows are stored.
@Suite struct StoredFormTests {
  @Test(arguments: ["", "plain", "a\\b", "\\", "\\0", "a\u{0}b", "\u{0}\\\u{0}", "\\\\0", "ü\u{202E}"])
  func textsComeBackAndHaveNoNUL(text: String) {
    let stored = StoredText.escaped(text)
    #expect(!stored.utf8.contains(0))
    #expect(StoredText.unescaped(stored) == text)
  }

  @Test func differentTextsStayDifferent() {
    let parts = ["\\", "0", "\u{0}", "a"]
    var texts: [String] = [""]
    for _ in 0..<4 { texts += texts.flatMap { text in parts.map { text + $0 } } }
    let all = Set(texts)
    #expect(Set(all.map(StoredText.escaped)).count == all.count)
  }

  private func record(_ json: String) throws -> FollowedRecord {
    try JSONParser().parse(Array(json.utf8)) { try FollowedRecord($0) }
  }

  @Test func aRecordsColumnsAreNotInItsBody() throws {
    let text = """
      {"position":7,"received":9,"session":"0000000000000001000000000000000a","number":3,"record":{"kind":"scroll","time":5,\
      "x":0,"y":1.5,"translationY":-3,"source":"user"},"change":{"toolbar":"hidden","trigger":"scrollDown",\
      "reachBottom":false,"topButton":false,"changed":["toolbar","trigger"],"reason":"why"}}
      """
    let record = try record(text)
    #expect(record.position == 7 && record.received == 9 && record.number == 3 && record.kind == "scroll")
    #expect(record.session == SessionID(high: 1, low: 10) && record.time == 5 && record.x == 0 && record.y == 1.5)
    #expect(String(decoding: record.body, as: UTF8.self) == #"{"translationY":-3,"source":"user"}"#)
    #expect(record.change?.changed == ["toolbar", "trigger"] && record.change?.reason == "why")
  }

  @Test func aRecordWithoutOtherMembersHasNoBody() throws {
    let session = String(repeating: "0", count: 32)
    let text =
      #"{"position":1,"received":1,"session":"\#(session)","record":{"kind":"dragBegin","time":1,"x":1,"y":2}}"#
    #expect(try record(text).body == [])
  }

  @Test(
    arguments: [
      ("1e300", #""1e+300""#), ("12.5", "12.5"), ("0.1", "0.1"), ("9007199254740993", "9007199254740993"),
      ("1e-9", #""1e-09""#), ("3.0", "3"),
    ])
  func aNumberWithAnExponentIsAText(number: String, stored: String) throws {
    let session = String(repeating: "0", count: 32)
    let text =
      #"{"position":1,"received":1,"session":"\#(session)","record":{"kind":"layout","time":1,"contentHeight":\#(number)}}"#
    let body = try record(text).body
    let found = String(decoding: body, as: UTF8.self)
    let value = try JSONParser().parse(body) { $0["contentHeight"]?.asString ?? "" }
    if stored.hasPrefix("\"") {
      #expect(Double(value) == Double(number), "\(found)")
    } else {
      #expect(found == #"{"contentHeight":\#(stored)}"#)
    }
    let restored = try JSONParser().parse(body) { value in
      JSONWriter.encode { writer in
        writer.beginObject()
        writer.key("contentHeight")
        if let member = value["contentHeight"] { StoredText.restore(member, isNumber: true, to: &writer) }
        writer.endObject()
      }
    }
    #expect(try JSONParser().parse(restored) { $0["contentHeight"]?.asDouble } == Double(number))
  }

  @Test(arguments: [#"{}"#, #"{"position":1}"#, #"{"position":1,"received":1,"session":"x","record":{}}"#])
  func aMalformedRecordIsRefused(text: String) {
    #expect(throws: MalformedFollow.self) { try record(text) }
  }

  @Test func rowsHavePostgreSQLsBinaryForm() {
    var rows = CopyRows()
    rows.beginRow(columns: 7)
    rows.uuid(SessionID(high: 1, low: 2))
    rows.bigint(nil)
    rows.timestamp(946_684_800_000_001)
    rows.text("ab")
    rows.jsonb(Array("{}".utf8))
    rows.texts(["x"])
    rows.boolean(true)
    rows.finish()
    let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    let uuid: [UInt8] = [0, 0, 0, 16] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 2]
    let array: [UInt8] = [0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x78]
    var expected = header + [0, 7] + uuid + [0xFF, 0xFF, 0xFF, 0xFF]
    expected += [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 2, 0x61, 0x62] + [0, 0, 0, 3, 1, 0x7B, 0x7D]
    expected += array + [0, 0, 0, 1, 1] + [0xFF, 0xFF]
    #expect(rows.bytes == expected)
  }

  // MARK: Statements

  private static let statements = BatchStatements(
    identity: MachineIdentity(id: SessionID(high: 0x1234_5678_9abc_def0, low: 1), name: "desk"), version: "1")

  @Test func idsAreWrittenAsUUIDs() {
    #expect(
      BatchStatements.uuid(SessionID(high: 0x1234_5678_9abc_def0, low: 1)) == "12345678-9abc-def0-0000-000000000001")
    #expect(
      BatchStatements.sessionID("12345678-9abc-def0-0000-000000000001")
        == SessionID(high: 0x1234_5678_9abc_def0, low: 1))
  }

  @Test func aBatchIsOneTransactionThatBeginsWithTheLockAndEndsWithTheCommit() {
    var batch = RelayBatch(after: RelayCursor(generation: 1, position: 3, forgotten: "a"))
    batch.gaps = [4...5]
    batch.takenBackAfter = 2
    batch.forgotten = [SessionID(high: 0, low: 7)]
    let steps = Self.statements.steps(for: batch, retries: 0) { _ in }
    guard case .script(let first)? = steps.first?.content, case .script(let last)? = steps.last?.content else {
      Issue.record("the first and the last step are no scripts")
      return
    }
    #expect(first.hasPrefix("BEGIN; SELECT") && first.hasSuffix("FOR UPDATE"))
    #expect(last == "COMMIT" && steps.filter(\.commits).count == 1 && steps.last?.commits == true)
    let lock = steps[0].check
    #expect(lock([["1", "3", "77", nil, "a"]]))
    for other in [["1", "4", "77", nil, "a"], ["2", "3", "77", nil, "a"], ["1", "3", "77", nil, nil]] {
      #expect(!lock([other]))
    }
    #expect(!lock([]))
  }

  // MARK: What the server says

  @Test(
    arguments: [
      ("28P01", "x", false, 77), ("42501", "x", false, 77), ("42P01", "x", false, 78), ("53100", "x", false, nil),
      ("57P01", "x", false, nil), (nil, "server certificate for \"a\" does not match host name \"b\"", true, 77),
      (nil, "SSL error: certificate verify failed", true, 77), (nil, "connection refused", true, nil),
      (nil, "FATAL:  password authentication failed for user \"a\"", true, 77),
      (nil, "invalid connection option \"hots\"", true, 78), ("25006", "x", false, nil),
      (nil, "local user with ID 63323 does not exist", true, 78),
    ] as [(String?, String, Bool, Int32?)])
  func eachErrorHasAnExitStatusOrIsRetried(state: String?, message: String, isConnecting: Bool, status: Int32?) {
    let failure = DatabaseFailure(state: state, message: message, isConnecting: isConnecting)
    #expect(failure.problem.status == status, "\(failure.problem)")
  }
}
