import Foundation
import ScrollModel
import ScrollTesting
import Testing

@testable import scrollctl

@Suite("Progress")
struct ProgressTests {
  @Test("A bar appears after a second, ten times a second at most, and can be removed")
  func bar() {
    var now = ContinuousClock.now
    var drawn: [String] = []
    let bar = ProgressBar("export", of: 2000, "records", now: { now }, draw: { drawn.append($0) })
    bar.update(500)
    #expect(drawn == [])
    now += .milliseconds(1000)
    bar.update(1000)
    bar.update(1001)
    #expect(drawn == ["export [################----------------]  50 %  1,000 of 2,000 records"])
    bar.clear()
    bar.clear()
    #expect(drawn.last == "" && drawn.count == 2)
    bar.update(2000)
    #expect(drawn.last == "export [################################] 100 %  2,000 of 2,000 records")
  }

  @Test("Without a total, a bar shows how much is done")
  func unknownTotal() {
    var now = ContinuousClock.now
    var drawn: [String] = []
    let bar = ProgressBar("copy", of: nil, "bytes", now: { now }, draw: { drawn.append($0) })
    now += .seconds(2)
    bar.update(3 << 20)
    #expect(drawn == ["copy  3.0M"])
    #expect(ProgressBar.grouped(1_234_567) == "1,234,567")
    #expect(ProgressBar.grouped(123) == "123")
  }

  @Test("Reading counts the bytes of the files, and then the records of the log to its end, in one bar")
  func reading() {
    var now = ContinuousClock.now
    var drawn: [String] = []
    let progress = ReadProgress(
      ProgressBar("read", of: 2 << 20, "bytes", now: { now }, draw: { drawn.append($0) }))
    var lookups = 0
    progress.end = {
      lookups += 1
      return 16_484
    }
    progress.count(bytes: 1 << 19)
    now += .seconds(2)
    progress.count(bytes: 1 << 19)
    #expect(drawn == ["read [################----------------]  50 %  1.0M of 2.0M"])
    for position in Position(101)...8_292 {
      now += .milliseconds(1)
      progress.countRecord(at: position)
    }
    #expect(
      drawn.dropFirst() == [
        "read  4,095 records", "read [###############-----------------]  49 %  8,191 of 16,383 records",
      ])
    #expect(lookups == 1, "the end is looked up once")
    progress.clear()
    #expect(drawn.last == "")
  }

  @Test("The bytes of files have a total only if all of them are regular files")
  func sizes() throws {
    let folder = try TemporaryDirectory(prefix: "scrollctl-test-")
    defer { folder.remove() }
    let (one, two) = ("\(folder.path)/one", "\(folder.path)/two")
    for path in [one, two] {
      try String(repeating: "x", count: 100).write(toFile: path, atomically: true, encoding: .utf8)
    }
    #expect(ReadProgress.size(of: [one, two]) == 200)
    #expect(ReadProgress.size(of: [one, "-"]) == nil && ReadProgress.size(of: []) == nil)
    #expect(ReadProgress.size(of: [one, "/dev/null"]) == nil && ReadProgress.size(of: ["\(folder.path)/none"]) == nil)
  }

  @Test("A bar that counts to millions looks at the clock now and then, also when it counts in hundreds")
  func rareLooks() {
    var looks = 0
    let bar = ProgressBar(
      "import", of: nil, "events",
      now: {
        looks += 1
        return .now
      }, draw: { _ in })
    looks = 0
    for done in Int64(1)...10_000 { bar.updateNowAndThen(done) }
    #expect((30...50).contains(looks))
    for done in 101...200 { bar.updateNowAndThen(Int64(done) * 101) }
    #expect((60...90).contains(looks))
  }

  @Test("Lines beyond the memory limit come back in order", arguments: [1, 50, 1 << 20])
  func spool(limit: Int) throws {
    let spool = LineSpool<SessionID>(memoryLimit: limit)
    let ids = (0..<3).map { SessionID(high: 1, low: $0) }
    var expected: [SessionID: [UInt8]] = [:]
    for index in 0..<100 {
      let line = Array("line \(index)\n".utf8)
      try spool.append(line, to: ids[index % 3])
      expected[ids[index % 3], default: []] += line
    }
    spool.discard(ids[1])
    for (id, lines) in expected {
      var found: [UInt8] = []
      try spool.take(id) { found += $0 }
      #expect(found == (id == ids[1] ? [] : lines))
      try spool.take(id) { _ in Issue.record("lines are there twice") }
    }
    #expect((spool.spilledBytes > 0) == (limit < 1 << 20))
  }

  @Test(
    "Long sessions come back from their compressed pieces, in memory and in the file", arguments: [100_000, 1 << 30])
  func compressedSpool(limit: Int) throws {
    let spool = LineSpool<SessionID>(memoryLimit: limit)
    let (long, short) = (SessionID(high: 1, low: 1), SessionID(high: 1, low: 2))
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    var expected: [SessionID: [UInt8]] = [:]
    for index in 0..<20_000 {
      let id = index % 100 == 0 ? short : long
      // Lines that compress, and some that don't.
      let line =
        index % 7 == 0
        ? (0..<40).map { _ in UInt8(random.whole(0...255)) } + [0x0A]
        : Array("{\"kind\":\"scroll\",\"y\":\(index)}\n".utf8)
      try spool.append(line, to: id)
      expected[id, default: []] += line
    }
    for id in [short, long] {
      var found: [UInt8] = []
      var pieces = 0
      try spool.take(id) {
        found += $0
        pieces += 1
      }
      #expect(found == expected[id], "SCROLLD_SEED is \(SeededRandom.seedOfRun)")
      #expect(id == short || pieces > 1)
    }
    let written = try #require(expected[long]?.count)
    #expect(limit == 100_000 ? (1...Int64(written) / 2).contains(spool.spilledBytes) : spool.spilledBytes == 0)
  }
}
