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
