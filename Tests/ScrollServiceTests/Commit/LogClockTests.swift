import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct LogClockTests {
  private static let day: Int64 = 86_400
  private static let year: Int64 = 365 * day
  private let clock = HandClock()
  private let journal = JournalRecorder()

  private final class Saved { var mark: LogClock.Mark? }

  private func makeClock(after latest: Int64 = 0, mark: LogClock.Mark? = nil, saved: Saved = Saved()) -> LogClock {
    LogClock(clock.service, after: latest, mark: mark, journal: journal.journal) { saved.mark = $0 }
  }

  /// The jumps of the wall clock to survive, in seconds: −1 day, +1 year, to 1970, and past 2038.
  private static let jumps = [-day, year, -1_700_000_000, 15 * year, -3600, 3600, 90 * day]

  @Test func itFollowsTheWallClockAndItsSmallCorrections() {
    let log = makeClock()
    for correction in [0, 500_000, -400_000, 1_000_000, 0] as [Int64] {
      clock.advance(seconds: 10)
      clock.wall += correction
      #expect(log.now() == clock.wall)
    }
    #expect(journal.entries.isEmpty)
  }

  @Test(arguments: jumps)
  func aJumpAndBackLeavesItNearTheTrueTime(seconds: Int64) {
    let log = makeClock()
    let start = log.now()
    clock.advance(seconds: 100)
    clock.jump(seconds: seconds)
    for _ in 0..<10 {
      clock.advance(seconds: 1)
      _ = log.now()
    }
    clock.jump(seconds: -seconds)
    clock.advance(seconds: 1)
    let difference = log.now() - clock.wall
    #expect(abs(difference) <= 11 * LogClock.speed * 1_000_000, "\(difference) µs")
    // It agrees again soon, and stays so.
    clock.advance(seconds: 12 * LogClock.speed)
    #expect(log.now() == clock.wall)
    #expect(clock.wall - start > 100_000_000)
    #expect(journal.entries.map(\.kind) == [.clockJumped, .clockJumped])
  }

  @Test(arguments: jumps)
  func itNeverGoesBackAndNeverRunsFasterThanItsSpeed(seconds: Int64) {
    let log = makeClock()
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    var (before, boot) = (log.now(), clock.monotonic)
    for step in 0..<2000 {
      if step % 100 == 50 { clock.jump(seconds: random.happens(0.5) ? seconds : -seconds) }
      clock.advance(microseconds: Int64(random.whole(0...3_000_000)))
      let now = log.now()
      #expect(now >= before)
      // A clock before 2020 was never set; what follows it at once is the first true time.
      if before >= LogClock.earliestTime {
        #expect(now - before <= (clock.monotonic - boot) * LogClock.speed + LogClock.tolerance)
      }
      (before, boot) = (now, clock.monotonic)
    }
  }

  @Test(arguments: [-3600, 3600] as [Int64])
  func itReturnsToAClockThatStaysWhereItWasSet(seconds: Int64) {
    let log = makeClock()
    _ = log.now()
    clock.jump(seconds: seconds)
    _ = log.now()
    // Behind, it waits for the clock, but still tells apart what is received in between.
    let start = log.now()
    clock.advance(seconds: 16)
    #expect(log.now() - start == (seconds > 0 ? 16_000_000 * LogClock.speed : 16_000_000 / LogClock.speed))
    clock.advance(seconds: 3700)
    #expect(log.now() == clock.wall)
  }

  @Test func aClockThatWasNeverSetIsReplacedAtOnceByTheFirstTrueTime() {
    clock.wall = 30_000_000
    let log = makeClock()
    #expect(log.now() == 30_000_000)
    clock.advance(seconds: 5)
    clock.wall = 1_700_000_000_000_000
    #expect(log.now() == 1_700_000_000_000_000)
  }

  @Test func aBootWithoutATimeContinuesWhereTheLogEnds() {
    let end: Int64 = 1_700_000_000_000_000
    clock.wall = 30_000_000
    let log = makeClock(after: end)
    clock.advance(seconds: 5)
    #expect(log.now() == end + 5_000_000)
    clock.wall = end + 65_000_000
    _ = log.now()
    clock.advance(seconds: 2)
    #expect(log.now() == clock.wall)
  }

  @Test(arguments: jumps)
  func aRestartWithinABootDoesNotTakeOverAJump(seconds: Int64) {
    let saved = Saved()
    let log = makeClock(saved: saved)
    let start = log.now()
    clock.jump(seconds: seconds)
    clock.advance(seconds: 1)
    let last = log.now()
    #expect(saved.mark != nil)
    let next = makeClock(after: last, mark: saved.mark, saved: saved)
    clock.advance(seconds: 1)
    #expect(abs(next.now() - start) <= 3 * LogClock.speed * 1_000_000)
    // Once the clocks agree, nothing is kept.
    clock.jump(seconds: -seconds)
    clock.advance(seconds: 4 * LogClock.speed)
    _ = next.now()
    clock.advance(seconds: 4 * LogClock.speed)
    _ = next.now()
    #expect(saved.mark == nil)
  }

  @Test func aTimeThatTheWallClockLeftOutCountsFromNow() {
    let log = makeClock()
    for _ in 0..<10 {
      clock.advance(seconds: 60)
      _ = log.now()
    }
    clock.jump(seconds: Self.day)
    let now = log.now()
    for hours in [1, 6, 23] as [Int64] {
      let ago = hours * 3_600_000_000
      #expect(log.time(ofWall: clock.wall - ago) == now - ago)
    }
  }

  @Test(arguments: jumps)
  func aTimeByTheWallClockFindsWhatWasReceivedThen(seconds: Int64) {
    let log = makeClock()
    _ = log.now()
    var moments: [(wall: Int64, time: Int64)] = []
    for step in 0..<40 {
      clock.advance(seconds: 60)
      if step == 10 { clock.jump(seconds: seconds) }
      if step == 30 { clock.jump(seconds: -seconds) }
      let time = log.now()
      #expect(log.time(ofWall: clock.wall) == time)
      moments.append((clock.wall, time))
    }
    for (wall, time) in moments.suffix(9) { #expect(log.time(ofWall: wall) == time) }
    // A time that the clock showed twice means the last one, and one that it has yet to show again is in the future.
    for (wall, time) in moments[11..<29] where wall < moments[0].wall { #expect(log.time(ofWall: wall) == time) }
    for extreme in [Int64.min, -1, .max] { #expect(log.time(ofWall: extreme) == extreme) }
  }
}
