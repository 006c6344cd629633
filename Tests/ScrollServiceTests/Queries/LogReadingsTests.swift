import Testing
import Varlink

@testable import ScrollService

@Suite struct LogReadingsTests {
  /// A reading that holds as much as a test says.
  private final class Reading: LogReading {
    let channel: ReplyChannel
    let connection: Connection
    var readingBytes = 0
    private(set) var releaseCount = 0

    init(_ connection: Connection, _ call: Call) {
      self.connection = connection
      channel = ReplyChannel(connection, call.token)
    }

    func releaseReading() {
      releaseCount += 1
      readingBytes = 0
    }

    /// Gives it so much output that it can't continue.
    func stall() { channel.send { $0.member("x", String(repeating: "x", count: 300_000)) } }
  }

  private static let mebibyte = 1 << 20

  private let peers: ConnectionsFixture
  private let effects = EffectQueue()
  private let readings: LogReadings

  init() {
    // A user's readings may hold 16 MiB, and all together 64 MiB.
    peers = ConnectionsFixture { $0.maximumBuffer = 256 << 20 }
    readings = LogReadings(peers.connections.limits, effects: effects)
  }

  private func makeReading(user: UInt32 = 1000) throws -> Reading {
    let connection = try #require(peers.connect(user: user))
    var made: Reading?
    peers.handler.onCall = { call, connection in
      made = Reading(connection, call)
      return .waits
    }
    peers.call(mode: .more, on: connection)
    return try #require(made)
  }

  private func begin(_ reading: Reading, _ bytes: Int) -> Bool {
    guard readings.begin(reading) else { return false }
    reading.readingBytes = bytes
    return readings.count(reading)
  }

  private func woken() -> [ConnectionID] {
    effects.take().compactMap { effect in
      if case .wake(let id) = effect { id } else { nil }
    }
  }

  @Test func aHundredWalksOf36MBAtOnceTook3800MB() throws {
    let all = try (0..<100).map { _ in try makeReading() }
    var held = 0
    for reading in all where begin(reading, 36 * Self.mebibyte) { held += reading.readingBytes }
    #expect(held == 36 * Self.mebibyte, "one reading always makes progress, and no other one beside it")
    #expect(readings.bytes == held)
    #expect(readings.counts(of: 1000) == (active: 1, waiting: 99))
  }

  @Test func asManyReadingsBeginAsFitAndTheOthersFollowInOrder() throws {
    let all = try (0..<8).map { _ in try makeReading() }
    let began = all.filter { begin($0, 5 * Self.mebibyte) }
    #expect(began.count == 3)
    #expect(readings.counts(of: 1000) == (active: 3, waiting: 5))
    for reading in all.dropFirst(3) { #expect(!readings.begin(reading)) }
    #expect(readings.counts(of: 1000).waiting == 5, "none waits twice")
    _ = woken()
    for (ended, next) in zip(all, all.dropFirst(3)) {
      readings.end(ended)
      #expect(woken() == [next.connection.id])
      #expect(begin(next, 5 * Self.mebibyte))
      _ = woken()
    }
  }

  @Test func aReadingWhosePeerDoesNotReadGivesWay() throws {
    let stalled = try makeReading()
    #expect(begin(stalled, 16 * Self.mebibyte))
    let next = try makeReading()
    #expect(!readings.begin(next))
    stalled.stall()
    #expect(begin(next, 16 * Self.mebibyte))
    #expect(stalled.releaseCount == 1)
    #expect(!readings.begin(stalled), "it waits until the other one ends or stalls")
    readings.end(next)
    #expect(woken() == [stalled.connection.id])
    #expect(readings.begin(stalled))
  }

  @Test func aReadingThatGrowsBeyondTheLimitWaitsUnlessItIsTheFirst() throws {
    let (first, second) = (try makeReading(), try makeReading())
    #expect(begin(first, Self.mebibyte) && begin(second, Self.mebibyte))
    second.readingBytes = 20 * Self.mebibyte
    #expect(!readings.count(second))
    second.releaseReading()
    first.readingBytes = 20 * Self.mebibyte
    #expect(readings.count(first))
    #expect(readings.counts(of: 1000) == (active: 1, waiting: 1))
  }

  @Test func theReadingsOfOneUserDoNotHinderAnotherOne() throws {
    for user in 1000..<1020 as Range<UInt32> {
      let reading = try makeReading(user: user)
      #expect(begin(reading, 16 * Self.mebibyte), "each user has one")
      #expect(!readings.begin(try makeReading(user: user)))
    }
    let roots = try (0..<50).map { _ in try makeReading(user: 0) }
    #expect(roots.allSatisfy { begin($0, Self.mebibyte) }, "root has any number")
  }

  @Test func beyondTheLimitOfAllAUserMayHaveOneReading() throws {
    let firsts = try (1000..<1004 as Range<UInt32>).map { try makeReading(user: $0) }
    for reading in firsts { #expect(begin(reading, 15 * Self.mebibyte)) }
    let late = try (0..<16).map { _ in try makeReading(user: 2000) }
    let began = late.filter { begin($0, Self.mebibyte) }.count
    #expect(began >= 3 && began <= 5)
    firsts[0].stall()
    #expect(readings.begin(try makeReading(user: 3000)))
    #expect(firsts[0].releaseCount == 0, "a user's first reading takes nobody's place")
    #expect(readings.begin(late[10]))
    #expect(firsts[0].releaseCount == 1)
  }

  @Test func aReadingThatEndsWhileItWaitsLeavesNothingBehind() throws {
    let (first, second) = (try makeReading(), try makeReading())
    #expect(begin(first, 16 * Self.mebibyte) && !readings.begin(second))
    readings.end(second)
    readings.end(first)
    readings.end(first)
    #expect(readings.counts(of: 1000) == (active: 0, waiting: 0) && readings.bytes == 0)
  }
}
