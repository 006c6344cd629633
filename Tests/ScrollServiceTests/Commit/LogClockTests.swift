import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct LogClockTests {
  private static let day: Int64 = 86_400
  private static let year: Int64 = 365 * day
  private let clock = HandClock()
  private let journal = JournalRecorder()

  /// What a daemon leaves to the next one.
  private final class Saved {
    var stretches: [LogClock.Stretch] = []
    var count = 0
  }

  /// Creates the clock of the first daemon, or of the next one after something was saved.
  private func makeClock(after latest: Int64 = 0, saved: Saved = Saved(), isOtherBoot: Bool = false) -> LogClock {
    let memory =
      saved.stretches.isEmpty ? nil : LogClock.Memory(isOfThisBoot: !isOtherBoot, stretches: saved.stretches)
    return LogClock(clock.service, after: latest, memory: memory, journal: journal.journal) {
      saved.stretches = $0
      saved.count += 1
    }
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
    let next = makeClock(after: last, saved: saved)
    clock.advance(seconds: 1)
    #expect(abs(next.now() - start) <= 3 * LogClock.speed * 1_000_000)
    clock.jump(seconds: -seconds)
    clock.advance(seconds: 4 * LogClock.speed)
    _ = next.now()
    clock.advance(seconds: 4 * LogClock.speed)
    #expect(next.now() == clock.wall)
  }

  @Test("A clock that is set while no daemon runs is not believed by the next one", arguments: jumps)
  func aJumpBetweenTwoDaemons(seconds: Int64) {
    let saved = Saved()
    let start = makeClock(saved: saved).now()
    clock.jump(seconds: seconds)
    clock.advance(seconds: 1)
    let next = makeClock(after: start, saved: saved)
    #expect(next.now() == start + 1_000_000)
    #expect(journal.entries.map(\.kind) == [.clockJumped, .clockDiffers])
    clock.advance(seconds: 1)
    #expect(abs(next.now() - start) <= 3 * LogClock.speed * 1_000_000)
  }

  @Test("However often the daemon is restarted, the clock approaches the wall clock at the same pace")
  func restartsDuringAnApproach() {
    let saved = Saved()
    var log = makeClock(saved: saved)
    _ = log.now()
    clock.jump(seconds: -600)
    var latest = log.now()
    for _ in 0..<60 {
      clock.advance(seconds: 10)
      latest = log.now()
      log = makeClock(after: latest, saved: saved)
    }
    // Ten minutes have passed, and at a 64th of the speed the wall clock has caught up with all but ten seconds.
    #expect(latest - clock.wall < 10_000_000)
    clock.advance(seconds: 10)
    #expect(log.now() == clock.wall)
  }

  @Test(
    "A daemon knows the times that the one before it gave after its clock had reached the wall clock",
    arguments: [-600, 600])
  func restartAfterAnApproach(seconds: Int64) {
    let saved = Saved()
    var log = makeClock(saved: saved)
    _ = log.now()
    clock.jump(seconds: seconds)
    for _ in 0..<(2 * LogClock.speed) {
      clock.advance(seconds: 600)
      _ = log.now()
    }
    #expect(log.now() == clock.wall)
    clock.advance(seconds: 3600)
    let then = log.now()
    #expect(then == clock.wall)
    clock.advance(seconds: 3600)
    log = makeClock(after: log.now(), saved: saved)
    #expect(log.time(ofWall: then) == then)
    #expect(log.now() == clock.wall)
  }

  @Test("Corrections of a time server that add up are not a jump for the next daemon")
  func slewing() {
    let saved = Saved()
    let log = makeClock(saved: saved)
    for _ in 0..<100 {
      clock.advance(seconds: 10)
      clock.wall += 100_000
      _ = log.now()
    }
    // Not each of them is saved.
    #expect(saved.count < 40)
    let next = makeClock(after: log.now(), saved: saved)
    #expect(next.now() == clock.wall)
    #expect(journal.entries.isEmpty)
  }

  @Test("A log that is ahead of what was saved, such as a restored one, does not stop the clock")
  func aheadOfWhatWasSaved() {
    let saved = Saved()
    let start = makeClock(saved: saved).now()
    let log = makeClock(after: start + 3_600_000_000, saved: saved)
    let first = log.now()
    clock.advance(seconds: 64)
    #expect(log.now() == first + 1_000_000)
  }

  @Test("A time by the wall clock finds what an earlier daemon received then, also after a boot", arguments: jumps)
  func timesOfEarlierDaemons(seconds: Int64) {
    let saved = Saved()
    clock.jump(seconds: seconds)
    var log = makeClock(saved: saved)
    var moments: [(wall: Int64, time: Int64)] = []
    func pass() {
      for _ in 0..<10 {
        clock.advance(seconds: 60)
        moments.append((clock.wall, log.now()))
      }
    }
    pass()
    clock.jump(seconds: -seconds)
    pass()
    log = makeClock(after: log.now(), saved: saved)
    pass()
    let latest = log.now()
    // A boot: the time since it begins anew.
    clock.monotonic = 3_000_000
    clock.wall += 3_600_000_000
    log = makeClock(after: latest, saved: saved, isOtherBoot: true)
    pass()
    log = makeClock(after: log.now(), saved: saved)
    for (index, moment) in moments.enumerated() where index >= 10 || moment.wall < moments[10].wall {
      #expect(log.time(ofWall: moment.wall) == moment.time, "moment \(index)")
    }
    // The time between the boots has nothing.
    #expect((latest...moments[30].time).contains(log.time(ofWall: moments[29].wall + 1_800_000_000)))
    #expect(saved.stretches.map(\.begin.boot) == saved.stretches.map(\.begin.boot).sorted())
  }

  @Test("The stretches of many boots stay within what the file keeps")
  func manyBoots() {
    let saved = Saved()
    var latest: Int64 = 0
    for _ in 0..<600 {
      clock.monotonic = 3_000_000
      clock.advance(seconds: 60)
      let log = makeClock(after: latest, saved: saved, isOtherBoot: true)
      clock.advance(seconds: 60)
      latest = log.now()
      #expect(latest == clock.wall)
    }
    #expect(saved.stretches.count <= LogClock.maximumStretches)
    #expect(saved.stretches.allSatisfy { $0.begin.boot >= -(1 << 60) && $0.offset <= 1 << 60 })
  }

  /// A clock that has run ahead by less than the tolerance waits for the wall clock. A question about that second found what
  /// was received before it.
  @Test("While it waits for the wall clock, a time by that finds what was received then", arguments: [false, true])
  func timesOfAWait(isRestarted: Bool) {
    let saved = Saved()
    var log = makeClock(saved: saved)
    _ = log.now()
    clock.jump(seconds: 90 * Self.day)
    _ = log.now()
    clock.advance(microseconds: 14_000)
    _ = log.now()
    clock.jump(seconds: -90 * Self.day)
    var moments: [(wall: Int64, time: Int64)] = []
    for _ in 0..<15 {
      clock.advance(microseconds: 100_000)
      moments.append((clock.wall, log.now()))
    }
    #expect(moments[3].time == moments[0].time)
    #expect(moments[14].time == clock.wall)
    if isRestarted { log = makeClock(after: log.now(), saved: saved) }
    for (wall, time) in moments { #expect(log.time(ofWall: wall) == time) }
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
