import Testing

@testable import ScrollService

/// Calls that read the log, whose memory the daemon takes away while their peers don't read.
@Suite struct ReleasedReadingTests {
  /// A user who may follow the log, and whose readings have one place.
  private static let user: UInt32 = 900

  private static func configure(_ configuration: inout Configuration) {
    configuration.maximumBufferPerUser = 1 << 20
    configuration.maximumOutput = 4096
  }

  /// Many sessions, which the index of the next daemon doesn't have, and some of them open.
  private static func log() throws -> TestDaemon {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: user)
    for index in 0..<120 {
      let session = try client.call("Open", ["client": .string("c/\(index)"), "title": .string("On \(index)")])[
        "session"]
      try client.call("Append", ["session": session, "events": .array(Gestures.flips(5))])
      if index % 3 > 0 { try client.call("Close", ["session": session]) }
      if index == 60 { try daemon.connect(user: 0).call("Rotate") }
    }
    return daemon
  }

  @Test(arguments: ["Read", "Sessions", "Subscribe", "Follow"])
  func aReaderWhosePlaceIsTakenAgainAndAgainMissesAndRepeatsNothing(method: String) throws {
    let log = try Self.log()
    let parameters: JSONTree = method == "Subscribe" ? ["after": 0] : [:]
    let expected = try log.restarted().connect(user: Self.user).stream(method, parameters).replies
    let daemon = try log.restarted(Self.configure)
    let reader = try daemon.connect(user: Self.user)
    reader.window = 0
    let call = reader.send(method, parameters, .more)
    daemon.settle()
    var taken = 0
    for _ in 0..<1000 where call.replies.count < expected.count {
      let other = try daemon.connect(user: Self.user)
      #expect(other.stream("Read", ["limit": 1]).hasEnded)
      other.hangUp()
      if daemon.service.history.readings.counts(of: Self.user).active == 0 { taken += 1 }
      reader.window = 4000
      reader.drain()
      daemon.settle()
    }
    #expect(taken > 5)
    if method == "Follow" {
      // Batches may be cut elsewhere.
      #expect(call.replies.flatMap { $0["records"].elements } == expected.flatMap { $0["records"].elements })
      #expect(call.replies.flatMap { $0["sessions"].elements } == expected.flatMap { $0["sessions"].elements })
    } else {
      #expect(call.replies == expected)
    }
  }

  /// The second call waited until the peer of the first one read again.
  @Test func aCallWaitsSecondsForAPeerThatStopsReading() throws {
    let daemon = try Self.log().restarted(Self.configure)
    let (first, second) = (try daemon.connect(user: Self.user), try daemon.connect(user: Self.user))
    let reading = first.send("Read", [:], .more)
    for _ in 0..<2 { daemon.turn() }
    first.window = 0
    let other = second.stream("Read")
    #expect(!reading.hasEnded && !other.hasEnded && other.replies.isEmpty)
    daemon.wait(seconds: 5)
    #expect(other.hasEnded && other.error == nil)
    print("DEBUG1", first.isClosed, daemon.journal.messages, String(describing: daemon.service.connections[first.id]?.wait), daemon.service.connections[first.id]?.outputCount as Any)
    first.read()
    print("DEBUG2", first.isClosed, daemon.journal.messages, String(describing: daemon.service.connections[first.id]?.wait), daemon.service.history.readings.counts(of: 900))
    #expect(reading.replies == other.replies)
  }
}
