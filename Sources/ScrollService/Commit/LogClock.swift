import ScrollModel

/// The clock of `received`, which follows the system's wall clock but never jumps and never goes back.
///
/// The wall clock jumps when somebody sets it, or a time server corrects it. If `received` followed at once, a clock that
/// was wrong for a few seconds would leave `received` in the future for as long as the clock was ahead, and age would
/// remove the log. So after a jump this clock continues with the time since the boot, a little faster or much slower,
/// until both agree again:
///
/// - The wall clock is ahead: ``speed`` times as fast, so that 10 seconds of a wrong year cost 10 minutes.
/// - The wall clock is behind: ``speed`` times slower.
/// - The wall clock was never set (it is before ``earliestTime``): as fast as the time since the boot.
public final class LogClock {
  /// A moment in the time since the boot, and this clock's time then.
  struct Mark: Equatable {
    var boot: Int64
    var time: Int64
  }

  /// By how much the wall clock may be corrected at once without being a jump, in microseconds.
  static let tolerance: Int64 = 1_000_000
  /// How many times faster or slower than the time since the boot this clock approaches the wall clock.
  static let speed: Int64 = 64
  /// The start of 2020. Before it, there was no scrolld.
  static let earliestTime: Int64 = 1_577_836_800_000_000
  /// How many stretches are remembered for queries.
  static let maximumStretches = 256
  /// By how much an earlier boot's moments are moved back: more than any boot lasts.
  private static let bootShift: Int64 = 1 << 52

  /// What this clock follows.
  enum Pace: String { case wall, boot, fast, slow }

  /// A time between two jumps of the wall clock, or until the clocks agree.
  struct Stretch: Equatable {
    /// When it began, since the boot, and this clock's time then. The moments of earlier boots are negative.
    var begin: Mark
    let pace: Pace
    /// The wall clock's lead over the time since the boot.
    var offset: Int64

    func time(at boot: Int64) -> Int64 {
      switch pace {
      // Up to the tolerance, it may have been ahead of the wall clock, and waited.
      case .wall: max(begin.time, boot + offset)
      case .boot: begin.time + (boot - begin.boot)
      case .fast: begin.time + (boot - begin.boot) * LogClock.speed
      case .slow: begin.time + (boot - begin.boot) / LogClock.speed
      }
    }
  }

  /// What is kept over restarts: without it, a clock that was set while no daemon ran would look right.
  struct Memory: Equatable {
    /// Whether it was saved in this boot.
    var isOfThisBoot: Bool
    /// The newest one last.
    var stretches: [Stretch]
  }

  private let clock: ServiceClock
  private let journal: Journal
  private let save: ([Stretch]) -> Void
  /// The newest one last; never empty once the clock was created.
  private var stretches: [Stretch] = []
  /// The offset of the newest stretch when it was saved.
  private var savedOffset: Int64 = 0
  private var latest: Int64
  /// When ``now()`` was last called, since the boot.
  private var latestBoot: Int64

  /// - Parameters:
  ///   - latest: The latest time that the log has.
  ///   - memory: What the previous daemon saved.
  ///   - save: Keeps the stretches for the next daemon.
  init(
    _ clock: ServiceClock, after latest: Int64, memory: Memory?, journal: Journal, save: @escaping ([Stretch]) -> Void
  ) {
    self.clock = clock
    self.journal = journal
    self.save = save
    self.latest = latest
    let (boot, wall) = (clock.boot(), clock.wall())
    latestBoot = boot
    stretches = memory?.stretches ?? []
    if let memory, memory.isOfThisBoot, let last = stretches.last, last.begin.boot <= boot {
      savedOffset = last.offset
      // A log that was restored may be ahead of what was saved.
      if latest > last.time(at: boot) + Self.tolerance {
        begin(boot, wall, at: latest)
      } else {
        follow(boot, wall, after: boot)
      }
    } else {
      moveBack()
      begin(boot, wall, at: max(latest, wall))
    }
    self.latest = max(latest, current.time(at: boot))
    if current.pace != .wall { journal.log(.clockDiffers(by: wall - self.latest)) }
  }

  /// Moves the stretches of another boot before this one.
  private func moveBack() {
    for index in stretches.indices {
      stretches[index].begin.boot -= Self.bootShift
      stretches[index].offset += Self.bootShift
    }
    stretches.removeAll { $0.begin.boot < -Self.bootShift * Int64(Self.maximumStretches - 1) }
  }

  private var current: Stretch { stretches[stretches.count - 1] }

  /// Returns the time, in microseconds since the Unix epoch. It is never earlier than one returned before.
  ///
  /// Call it at least every few seconds, since it notices a jump only then.
  func now() -> Int64 {
    let (boot, wall) = (max(clock.boot(), latestBoot), clock.wall())
    follow(boot, wall, after: latestBoot)
    latestBoot = boot
    latest = max(latest, current.time(at: boot))
    return latest
  }

  /// Notices a jump of the wall clock, or that both clocks agree again.
  ///
  /// - Parameter known: The moment up to which it is known that the wall clock didn't jump.
  private func follow(_ boot: Int64, _ wall: Int64, after known: Int64) {
    let jump = wall - boot - current.offset
    if abs(jump) > Self.tolerance {
      journal.log(.clockJumped(by: jump))
      // It is unknown when it jumped, so the time since then counts as it was.
      return begin(boot, wall, at: max(latest, current.time(at: known)) + (boot - known))
    }
    stretches[stretches.count - 1].offset += jump
    let hasArrived =
      switch current.pace {
      case .wall, .boot: false
      case .fast: current.time(at: boot) >= wall
      case .slow: current.time(at: boot) <= wall
      }
    if hasArrived { return begin(boot, wall, at: wall) }
    // The next daemon must not take what a time server corrected little by little for a jump.
    if abs(current.offset - savedOffset) > Self.tolerance / 4 { saveStretches() }
  }

  private func saveStretches() {
    savedOffset = current.offset
    save(stretches)
  }

  /// Returns what this clock showed when the wall clock showed a time; the last such moment if it did so twice.
  func time(ofWall wall: Int64) -> Int64 {
    guard (0...Event.latestTime).contains(wall) else { return wall }
    var end = Mark(boot: .max, time: .max)
    for stretch in stretches.reversed() {
      let boot = wall - stretch.offset
      // A boot may have ended long before the next one began.
      if boot >= stretch.begin.boot, boot < end.boot { return min(stretch.time(at: boot), end.time) }
      end = stretch.begin
    }
    // What the log had before this daemon has no other times. A time that a jump left out counts from now.
    return wall <= stretches[0].begin.time ? wall : time(ofBoot: wall - current.offset)
  }

  /// Returns what this clock showed a span ago, by the time since the boot; `Int64.min` for a span that no time lies before.
  func time(ago span: Int64) -> Int64 {
    _ = now()
    let (moment, overflow) = latestBoot.subtractingReportingOverflow(span)
    return overflow ? .min : time(ofBoot: moment)
  }

  /// Returns what this clock showed at a moment since the boot.
  private func time(ofBoot moment: Int64) -> Int64 {
    let ofThisBoot = stretches.drop { $0.begin.boot < 0 }
    var end = Int64.max
    for stretch in ofThisBoot.reversed() {
      if moment >= stretch.begin.boot { return stretch.time(at: min(moment, end)) }
      end = stretch.begin.boot
    }
    // Before the first stretch, only the log's times are known.
    let first = ofThisBoot[ofThisBoot.startIndex].begin
    let (time, isBeforeAll) = first.time.subtractingReportingOverflow(first.boot - moment)
    return isBeforeAll ? .min : time
  }

  private func begin(_ boot: Int64, _ wall: Int64, at time: Int64) {
    let pace: Pace
    if wall < Self.earliestTime, time >= Self.earliestTime {
      pace = .boot
    } else if abs(wall - time) <= Self.tolerance || time < min(wall, Self.earliestTime) {
      pace = .wall
    } else {
      pace = wall > time ? .fast : .slow
    }
    let begin = Mark(boot: boot, time: time)
    if stretches.count == Self.maximumStretches { stretches.removeFirst() }
    stretches.append(Stretch(begin: begin, pace: pace, offset: wall - boot))
    latest = max(latest, time)
    saveStretches()
  }
}
