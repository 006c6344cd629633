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

  // MARK: Readings that have read everything

  @Test func aReadingThatHasReadEverythingKeepsItsPlaceUntilAnotherOneNeedsIt() throws {
    let (paused, next) = (try makeReading(), try makeReading())
    #expect(begin(paused, 16 * Self.mebibyte))
    readings.pause(paused)
    #expect(paused.releaseCount == 0 && readings.counts(of: 1000) == (active: 1, waiting: 0))
    // It continues where it was.
    #expect(readings.begin(paused))
    #expect(!readings.begin(next), "it reads")
    readings.pause(paused)
    #expect(paused.releaseCount == 1)
    #expect(woken() == [next.connection.id])
    #expect(begin(next, 16 * Self.mebibyte))
    #expect(!readings.begin(paused))
    readings.end(next)
    #expect(readings.begin(paused))
  }

  @Test func aReadingThatHasReadEverythingGivesWayAtOnce() throws {
    let (paused, next, third) = (try makeReading(), try makeReading(), try makeReading())
    #expect(begin(paused, 16 * Self.mebibyte))
    readings.pause(paused)
    #expect(begin(next, 16 * Self.mebibyte))
    #expect(paused.releaseCount == 1)
    // What it no longer has, it can't give up.
    readings.pause(paused)
    #expect(!readings.begin(third) && readings.counts(of: 1000) == (active: 1, waiting: 1))
  }

  @Test func aUserWhoseOnlyReadingIsIdleWaitsForNobody() throws {
    let others = try (1000..<1004 as Range<UInt32>).map { try makeReading(user: $0) }
    for reading in others { #expect(begin(reading, 16 * Self.mebibyte)) }
    let (paused, next) = (try makeReading(user: 2000), try makeReading(user: 2000))
    #expect(begin(paused, Self.mebibyte))
    readings.pause(paused)
    #expect(begin(next, Self.mebibyte), "the others have all the memory, and the user has one place")
    #expect(paused.releaseCount == 1 && others.allSatisfy { $0.releaseCount == 0 })
  }

  @Test func rootsReadingsKeepTheirPlaces() throws {
    let paused = try makeReading(user: 0)
    #expect(begin(paused, 16 * Self.mebibyte))
    readings.pause(paused)
    for _ in 0..<20 { #expect(begin(try makeReading(user: 0), 16 * Self.mebibyte)) }
    readings.tick()
    #expect(paused.releaseCount == 0)
  }

  // MARK: Peers that stop reading

  /// The next reading waited until the peer of the first one read again.
  @Test func aPeerThatStopsReadingWhileAnotherReadingWaitsGivesWay() throws {
    let (stalled, next) = (try makeReading(), try makeReading())
    #expect(begin(stalled, 16 * Self.mebibyte) && !readings.begin(next))
    readings.tick()
    #expect(stalled.releaseCount == 0 && woken() == [], "it reads")
    stalled.stall()
    readings.tick()
    #expect(stalled.releaseCount == 1 && woken() == [next.connection.id])
    #expect(begin(next, 16 * Self.mebibyte))
    next.stall()
    readings.tick()
    #expect(next.releaseCount == 0, "nobody waits for its place")
  }

  @Test func whoWaitsIsWokenWhenAnotherUserNeedsThePlaceOfAStalledReading() throws {
    let (stalled, waiting) = (try makeReading(), try makeReading())
    #expect(begin(stalled, 16 * Self.mebibyte) && !readings.begin(waiting))
    stalled.stall()
    for user in 2000..<2003 as Range<UInt32> { #expect(begin(try makeReading(user: user), 16 * Self.mebibyte)) }
    let (first, second) = (try makeReading(user: 3000), try makeReading(user: 3000))
    #expect(begin(first, Self.mebibyte))
    _ = woken()
    #expect(readings.begin(second))
    #expect(stalled.releaseCount == 1)
    #expect(woken().contains(waiting.connection.id))
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
