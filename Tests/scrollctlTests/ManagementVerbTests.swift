import ScrollClient
import ScrollClientTesting
import ScrollLog
import ScrollModel
import Testing

@testable import scrollctl

@Suite("Managing")
struct ManagementVerbTests {
  private func lines(_ arguments: [String]) throws -> [String] {
    let captured = CapturedOutput()
    #expect(try captured.run(arguments) == .done)
    return captured.lines.map(String.init)
  }

  private func statistics(_ metrics: String) throws -> [String] {
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"metrics":[\#(metrics)]}"#
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    return try lines(["statistics", "--socket", daemon.address.path])
  }

  @Test("statistics prints the size of a record on disk")
  func bytesARecord() throws {
    let lines = try statistics(
      #"{"name":"packed_records","value":1000},{"name":"packed_bytes","value":3249},"#
        + #"{"name":"unpacked_records","value":3},{"name":"unpacked_bytes","value":9223372036854775807}"#)
    #expect(lines.contains("  bytes a record, packed: 3.2"))
    #expect(lines.contains { $0.hasPrefix("bytes a record, unpacked: 3.07") && $0.hasSuffix("e+18") })
    #expect(lines.contains("          packed_records: 1000"))
  }

  @Test("statistics prints no size of a record without sealed segments or their metrics")
  func noRecords() throws {
    let none = #"{"name":"packed_records","value":0},{"name":"packed_bytes","value":0}"#
    for metrics in ["", none] {
      let lines = try statistics(metrics)
      #expect(lines.contains { $0.hasSuffix(" version: 1.0") })
      #expect(!lines.contains { $0.contains("bytes a record") })
    }
  }

  @Test("statistics prints when the daemon started, and how long ago")
  func started() throws {
    let now = UnixMicroseconds.now.rawValue
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":1,"lastPosition":9,"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"started":\#(now - 7_300_000_000),"metrics":[]}"#
    let daemon = try FakeDaemon { _, _, _ in .reply(text) }
    let rows = try lines(["statistics", "--socket", daemon.address.path])
    #expect(rows[1] == "      started: \(TimeText().date(now - 7_300_000_000)); 2 h ago")
    #expect(try lines(["--json", "statistics", "--socket", daemon.address.path]) == [text])
  }

  @Test("An invalid configuration's hint names the command for this daemon, and the number of further errors")
  func reloadHints() {
    func hint(_ others: Int64, _ check: String?) -> String? {
      Hints.hint(
        for: .refused(
          .badConfiguration(file: "/x", line: 1, key: nil, reason: "no", others: others, check: check)))
    }
    let check = "scrolld --config /x --check-config"
    #expect(hint(0, check) == "It is the only error. To check the configuration again:  \(check)")
    #expect(hint(1, check) == "The configuration has 1 more error. To list both:  \(check)")
    #expect(hint(3, check) == "The configuration has 3 more errors. To list all:  \(check)")
    #expect(hint(0, nil)?.contains("give it the same option") == true)
  }

  private func vacuumed(
    first: Int64, freed: Int64, limit: Int64?, last: Int64, segments: Int64, bytes: Int64, isDelayed: Bool = false
  ) throws -> [String] {
    let text =
      #"{"version":"1.0","generation":1,"firstPosition":\#(first),"lastPosition":\#(last),"syncedPosition":8,"sessions":2,"#
      + #""connections":3,"subscribers":1,"metrics":[{"name":"log_segments","value":\#(segments)},"#
      + #"{"name":"log_bytes","value":\#(bytes)},{"name":"log_kept_for_backup","value":\#(isDelayed ? 1 : 0)}]}"#
    let daemon = try FakeDaemon { call, _, _ in
      .reply(
        call.method.string == "org.scrolld.Manager.Vacuum" ? #"{"firstPosition":\#(first),"freed":\#(freed)}"# : text)
    }
    let target = limit.map { ["--max-use", "\($0)"] } ?? ["--max-age", "1day"]
    return try lines(["vacuum", "--socket", daemon.address.path] + target)
  }

  @Test("vacuum says whether the log is as small as it should be, and if not, why")
  func vacuum() throws {
    #expect(
      try vacuumed(first: 5, freed: 7976, limit: 5 << 20, last: 9, segments: 2, bytes: 4 << 20)
        == ["Freed 7.7K; the log begins at position 5."])
    #expect(
      try vacuumed(first: 10, freed: 7976, limit: 1024, last: 9, segments: 1, bytes: 4 << 20) == [
        "Freed 7.7K; the log is empty; its next position is 10.", "It still takes 4.0M, which is more than 1.0K.",
        "Only the file that the daemon writes to is left, for which it reserves space.",
      ])
    let only = "The daemon never removes the file that it writes to, the only one; “scrollctl rotate” starts a new one."
    #expect(
      try vacuumed(first: 5, freed: 100, limit: 1024, last: 9, segments: 1, bytes: 4 << 20) == [
        "Freed 100B; the log begins at position 5.", "It still takes 4.0M, which is more than 1.0K.", only,
      ])
    let backup = "A backup is running, which keeps all files. Repeat the command when it has ended."
    #expect(
      try vacuumed(first: 1, freed: 0, limit: 1024, last: 9, segments: 3, bytes: 9 << 20, isDelayed: true) == [
        "Freed 0B; the log begins at position 1.", backup, "It still takes 9.0M, which is more than 1.0K.",
      ])
    #expect(try vacuumed(first: 1, freed: 0, limit: nil, last: 9, segments: 1, bytes: 9).last == only)
    #expect(
      try vacuumed(first: 1, freed: 0, limit: nil, last: 9, segments: 3, bytes: 9).last
        == "The daemon removes whole files, and never the one that it writes to; “scrollctl rotate” starts a new one.")
  }

  @Test("verify reports which segments are packed")
  func packed() throws {
    let directory = try TemporaryDirectory(prefix: "scrollctl-verify-")
    defer { directory.remove() }
    let log = try EventLog.open(
      directory: directory.path, fileSystem: POSIXFileSystem(),
      options: LogOptions(syncMode: .never, boot: BootID(high: 0, low: 1)))
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    builder.append(
      Opening(client: ClientID(user: 1, name: "reader"), time: 1, policy: .safari), of: SessionID(high: 1, low: 1))
    let finished = builder.finish(received: 1)
    let block = try #require(finished)
    try log.writer.write(block)
    var observer = NoObserver()
    try log.projection.apply(block.view, observer: &observer)
    try log.writer.roll(log.projection.checkpoint())
    #expect(try log.upkeep.pack(1) != nil)
    try log.writer.stop()
    let found = try lines(["verify", directory.path, "--no-color"])
    #expect(found.count == 2)
    #expect(found.first?.hasSuffix(": ok, positions 1 to 1, 1 record in 1 block, packed") == true)
    #expect(found.last?.contains("packed") == false)
  }
}
