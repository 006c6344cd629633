import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog

/// The bytes on disk, compared with the documented format.
@Suite struct FormatTests {
  /// A small segment with predictable bytes: a session opens, scrolls, gets a request, answers and closes.
  private func segment() throws -> [UInt8] {
    let fileSystem = FaultyFileSystem()
    var options = LogFixture.options()
    options.identifier = { 0x0102_0304_0506_0708 }
    // Part of a checkpoint's head, but not of the format.
    options.foldVersion = 1
    options.boot = BootID(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
    let log = try LogFixture.open(fileSystem, options)
    var builder = LogFixture.builder(log)
    let session = SessionID(high: 0xAABB_CCDD_EEFF_0011, low: 0x2233_4455_6677_8899)
    let client = ClientID(user: 1000, name: "reader/1")
    builder.append(Opening(client: client, time: 7, title: "T", closeOnDisconnect: true, policy: .classic), of: session)
    builder.beginRun(session, firstNumber: 1)
    var event = Event(.dragEnd, time: 8)
    event.x = 0
    event.y = 1.5
    event.willDecelerate = true
    builder.append(event)
    event = Event(.scroll, time: 9)
    event.x = 0
    event.y = -2
    event.source = .program
    builder.append(event)
    builder.endRun()
    let first = builder.finish(received: 10)
    try log.writer.write(try #require(first))
    builder.append(ScrollRequest(time: 11, target: .page(2)), of: session)
    builder.append(ScrollResponse(time: 12, request: 4, done: false, reason: "no"), of: session)
    builder.append(Closing(time: 13, reason: .idle), of: session)
    let second = builder.finish(received: 14)
    try log.writer.write(try #require(second))
    let end = Int(log.writer.status.segmentBytes)
    return Array(try #require(fileSystem[LogFixture.firstSegment])[..<end])
  }

  private static let golden = """
    5343524f4c4c4f47010000008000000008070605040302010100000000000000
    010000000000000000401e18240a060011112222333344445555666677778888
    0000000000000000000000000000000000000000000000000000000000000000
    0000000000000000000000000000000000000000000000007e89242c9cbd4b04
    53424c4b452caeb4310000003100000002000000000000000100000000000000
    0000000000000000000000000000000080000000000000001000000000000000
    0000000000000000000100000001000000010000000000000000000000000000
    000000000000000000000000000000004daeafbba9936ca353424c4bdfcb8bca
    ba000000ba000000010000000300000001000000000000000a00000000000000
    0000000000000000f80000000000000002aabbccddeeff001122334455667788
    99e8030000080000007265616465722f31070000000000000006010000005407
    000000636c617373696307000000636c6173736963010011000000746f704275
    74746f6e44697374616e63650300000034353001aabbccddeeff001122334455
    6677889901000000000000000200000003800003080000000000000000000000
    00000000000000000000f83f0103000202090000000000000000000000000000
    0000000000000000c001000000000000d359c58b63935aee53424c4bea5a0428
    6500000065000000010000000300000004000000000000000e00000000000000
    0300000000000000f80100000000000004aabbccddeeff001122334455667788
    990b0000000000000002020000000000000005aabbccddeeff00112233445566
    7788990c0000000000000004000000000000000001020000006e6f03aabbccdd
    eeff001122334455667788990d000000000000000200000078ba8edfec067b53
    """

  @Test func theBytesMatchTheDocumentedFormat() throws {
    // A change here is a change of the format, which needs a new format version, and a reader for the old one.
    let bytes = try segment()
    let lines = stride(from: 0, to: bytes.count, by: 32).map { start in
      bytes[start..<min(start + 32, bytes.count)].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    #expect(lines.joined(separator: "\n") == Self.golden)
  }
}
