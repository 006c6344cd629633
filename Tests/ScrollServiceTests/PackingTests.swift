import ScrollLogTesting
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

@Suite struct ServicePackingTests {
  /// A daemon that packs segments, and an open session that has filled several.
  private struct Scene {
    let daemon: TestDaemon
    let client: TestClient
    let root: TestClient
    let session: JSONTree

    init(segments: Int, _ configure: (inout Configuration) -> Void = { _ in }) throws {
      daemon = try TestDaemon {
        $0.compress = true
        configure(&$0)
      }
      client = try daemon.connect()
      root = try daemon.connect(user: 0)
      session = try client.call("Open", ["client": "reader", "title": "A title"])["session"]
      for index in 0..<segments { try fill(index) }
    }

    func fill(_ index: Int) throws {
      let number = JSONTree.int(Int64(index) * 20 + 1)
      let events: JSONTree = .array(Gestures.flips(20))
      try client.call("Append", ["session": session, "number": number, "events": events])
      try root.call("Rotate")
    }

    func metric(_ name: String) throws -> JSONTree {
      guard case .array(let metrics) = try root.call("Statistics")["metrics"] else { return .null }
      return metrics.first { $0["name"] == .string(name) }?["value"] ?? .null
    }

    /// The segments that are packed.
    var packed: [Bool] {
      get throws {
        let found = try LogVerification.verify(directory: TestDaemon.directory, fileSystem: daemon.fileSystem)
        #expect(found.allSatisfy { $0.problems.isEmpty })
        return found.map(\.isPacked)
      }
    }
  }

  @Test func aSegmentIsPackedOnceTheNextOneBegins() throws {
    let scene = try Scene(segments: 3)
    #expect(try scene.packed == [true, true, true, false])
    #expect(try scene.metric("segments_packed") == 3)
    #expect(try scene.metric("packed_records") == 61)
    #expect(try scene.metric("unpacked_records") == 0)
    let sizes = scene.daemon.log.segments.firstPositions.dropLast().compactMap {
      scene.daemon.fileSystem[TestDaemon.directory + "/log/" + SegmentName.of($0)]?.count
    }
    #expect(try scene.metric("packed_bytes") == .int(Int64(sizes.reduce(0, +))))
    #expect(scene.root.stream("Read").values("position").count == 61)
    // The state at a past position is still found.
    let state = try scene.root.call("Get", ["client": "reader", "user": 1000, "position": 30])["state"]
    #expect(state["position"] == 30)
    let next = try scene.daemon.restarted { $0.compress = true }
    #expect(next.service.lastPosition == 61)
    #expect(next.service.log.segments.sealedSize(isPacked: true).records == 61)
    #expect(next.service.nextUpkeep() == nil)
  }

  /// Packed blocks without the session are not unpacked, so even bad ones do not matter.
  @Test func aQueryAboutOneSessionUnpacksOnlyItsBlocks() throws {
    let scene = try Scene(segments: 0)
    let other = try scene.daemon.connect(user: 1001)
    let otherSession = try other.call("Open", ["client": "other"])["session"]
    try other.call("Append", ["session": otherSession, "number": 1, "events": .array(Gestures.flips(20))])
    let still = try scene.root.call("Get", ["client": "other", "user": 1001])["state"]
    try other.call("Close", ["session": otherSession])
    let closed = try scene.root.call("Get", ["client": "other", "user": 1001])["state"]
    try scene.root.call("Rotate")
    for index in 0..<4 { try scene.fill(index) }
    #expect(try scene.packed == [true, true, true, true, true, false])
    let records = scene.root.stream("Read", ["session": otherSession]).replies
    #expect(records.filter { $0["session"] == otherSession }.count == 22)
    for first in scene.daemon.log.segments.firstPositions.dropFirst().dropLast() {
      let path = TestDaemon.directory + "/log/" + SegmentName.of(first)
      let file = try scene.daemon.fileSystem.openForReading(path)
      let packed = try PackedSegment(file, try SegmentReading.header(of: file, firstPosition: first))
      for block in packed.index.blocks {
        scene.daemon.fileSystem[path]?[Int(block.offset) + BlockHeader.Offset.payload] ^= 1
      }
    }
    // The recent past could be answered without the log.
    scene.daemon.service.log.recent.interval = .max
    let read = scene.root.stream("Read", ["session": otherSession])
    #expect(read.error == nil)
    #expect(read.replies == records)
    #expect(try scene.root.call("Get", ["client": "other", "user": 1001])["state"] == closed)
    let past: JSONTree = ["client": "other", "user": 1001, "position": still["position"]]
    #expect(try scene.root.call("Get", past)["state"] == still)
    #expect(scene.root.stream("Read", ["session": scene.session]).error?.name == "LogDamaged")
  }

  @Test func aStartPacksUnpackedSegmentsNewestFirst() throws {
    let scene = try Scene(segments: 3) { $0.compress = false }
    #expect(try scene.packed == [false, false, false, false])
    let next = try scene.daemon.restarted { $0.compress = true }
    next.isHoldingUpkeep = true
    for first in next.log.segments.firstPositions.dropLast().reversed() {
      next.settle()
      #expect(next.heldUpkeep == .pack(first))
      // One at a time.
      #expect(next.service.nextUpkeep() == nil)
      next.finishUpkeep()
    }
    next.settle()
    #expect(next.heldUpkeep == nil)
    #expect(next.service.log.segments.sealedSize(isPacked: false).records == 0)
  }

  @Test func nobodyWaitsForAPacking() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.isHoldingUpkeep = true
    try scene.fill(0)
    #expect(scene.daemon.heldUpkeep == .pack(1))
    try scene.fill(1)
    #expect(scene.root.stream("Read").values("position").count == 41)
    #expect(!scene.daemon.service.isPackingInTheWay)
    // Forgetting waits for the end of the packing and cancels it, since both rewrite the file.
    let forget = scene.root.send("Forget", ["session": scene.session])
    scene.daemon.settle()
    #expect(scene.daemon.service.isPackingInTheWay)
    #expect(!forget.hasEnded)
    #expect(scene.daemon.heldUpkeep == .pack(1))
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    guard case .forget = scene.daemon.heldUpkeep else {
      Issue.record("\(String(describing: scene.daemon.heldUpkeep))")
      return
    }
    scene.daemon.release()
    #expect(try forget.answer() == ["records": 42])
    #expect(scene.root.stream("Read").values("position").isEmpty)
    #expect(try scene.packed == [true, true, true, false])
  }

  @Test func aFullDiskIsLoggedOnceAndPackingIsTriedAgain() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.isHoldingUpkeep = true
    try scene.fill(0)
    for _ in 0..<3 {
      scene.daemon.fileSystem.failNext(.sync, with: .noSpace)
      scene.daemon.finishUpkeep()
      scene.daemon.settle()
      #expect(scene.daemon.heldUpkeep == nil)
      #expect(scene.daemon.service.nextUpkeep() == nil)
      scene.daemon.wait(seconds: 60)
      #expect(scene.daemon.heldUpkeep == .pack(1))
    }
    let messages = scene.daemon.journal.messages.filter { $0.contains("postponed until there is space") }
    #expect(messages.count == 1)
    scene.daemon.release()
    #expect(try scene.packed == [true, false])
  }

  @Test func aSegmentThatCannotBePackedIsLoggedAndStays() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.isHoldingUpkeep = true
    try scene.fill(0)
    let path = TestDaemon.directory + "/log/" + SegmentName.of(1)
    scene.daemon.fileSystem.damageBlock(1, in: path)
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    #expect(scene.daemon.heldUpkeep == nil)
    let messages = scene.daemon.journal.messages.filter { $0.contains("stays uncompressed") }
    #expect(messages.count == 1 && messages[0].contains(path))
    scene.daemon.wait(seconds: 120)
    #expect(scene.daemon.heldUpkeep == nil)
    // The other segments are packed.
    scene.daemon.release()
    try scene.fill(1)
    #expect(try scene.metric("segments_packed") == 1)
  }

  /// The packed file is in place, so its size counts.
  @Test func aFailedSyncOfTheDirectoryIsLoggedAndTheNewSizeCounts() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.isHoldingUpkeep = true
    try scene.fill(0)
    scene.daemon.fileSystem.failNext(.syncDirectory, with: .inputOutput)
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    #expect(try scene.packed == [true, false])
    let size = scene.daemon.fileSystem[TestDaemon.directory + "/log/" + SegmentName.of(1)]?.count
    #expect(try scene.metric("packed_bytes") == .int(Int64(try #require(size))))
    #expect(try scene.metric("unpacked_records") == 0)
    #expect(
      scene.daemon.journal.messages.filter { $0.contains("may be uncompressed again after a power loss") }.count == 1)
    #expect(scene.daemon.heldUpkeep == nil)
  }

  /// A full disk in the middle of forgetting does not end it.
  @Test func forgettingContinuesAlthoughAppendsFindNoSpace() throws {
    let scene = try Scene(segments: 3)
    scene.daemon.isHoldingUpkeep = true
    let forget = scene.root.send("Forget", ["session": scene.session])
    scene.daemon.settle()
    // The search of the active segment. A call that is still searching would be refused.
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    #expect(scene.daemon.heldUpkeep != nil)
    let other = try scene.daemon.connect(user: 1001)
    scene.daemon.fileSystem.failNext(.write, with: .noSpace)
    #expect(throws: (any Error).self) { try other.call("Open", ["client": "other"]) }
    scene.daemon.release()
    #expect(try forget.answer() == ["records": 62])
  }

  @Test func aStopWaitsForThePackingUnderWay() throws {
    let scene = try Scene(segments: 0)
    scene.daemon.isHoldingUpkeep = true
    try scene.fill(0)
    scene.daemon.service.stop()
    scene.daemon.settle()
    #expect(scene.daemon.end == nil)
    scene.daemon.finishUpkeep()
    scene.daemon.settle()
    guard case .stopped = scene.daemon.end else {
      Issue.record("\(String(describing: scene.daemon.end))")
      return
    }
  }

  @Test func aCancelledPackingChangesNothing() throws {
    let scene = try Scene(segments: 0) { $0.compress = false }
    try scene.fill(0)
    let before = scene.daemon.fileSystem.names(in: TestDaemon.directory + "/log")
    let result = scene.daemon.log.upkeep.perform(.pack(1)) { true }
    #expect(result == .notPacked(1, .cancelled))
    #expect(scene.daemon.fileSystem.names(in: TestDaemon.directory + "/log") == before)
    #expect(try scene.packed == [false, false])
  }
}
