/// A stream that reads the log, and holds a part of it in memory meanwhile.
protocol LogReading: AnyObject {
  /// The stream's channel, which knows the user for whom the reading counts.
  var channel: ReplyChannel { get }
  /// How much memory the reading holds, in bytes.
  var readingBytes: Int { get }

  /// Releases what the reading holds. The stream continues later from where it was.
  func releaseReading()
}

/// The streams that read the log, and those that wait until they may.
///
/// What they hold is only a copy of what is on disk. So the memory of a user is divided by turns: as many streams read at
/// once as fit into a quarter of it, but always one. The others wait, in order. A stream whose peer doesn't read, or that has
/// read everything, gives its place up when another one needs it.
final class LogReadings {
  /// A reading that may read.
  private struct Place {
    let reading: any LogReading
    /// What the reading was counted with, in bytes.
    var bytes = LogReadings.firstEstimate
    /// Whether it has read everything, and keeps its place only so that it need not begin again.
    var isPaused = false

    /// Whether the reading can't continue until its peer reads, or until the log has more.
    var isIdle: Bool { isPaused || reading.channel.outputCount > reading.channel.outputLimit }
  }

  /// The readings of one user.
  private struct User {
    /// Those that may read, the first one first.
    var active: [Place] = []
    var waiting: [any LogReading] = []

    var bytes: Int { active.reduce(0) { $0 + $1.bytes } }

    /// What the next reading is expected to hold, in bytes: as much as the others on average.
    var estimate: Int { max(LogReadings.firstEstimate, bytes / max(1, active.count)) }

    func index(of reading: any LogReading) -> Int? { active.firstIndex { $0.reading === reading } }
  }

  /// What a reading is counted with before it has begun, at least, in bytes.
  static let firstEstimate = 256 << 10

  /// How much the readings of one user may hold, in bytes.
  private var limitPerUser: Int
  /// How much all readings may hold, in bytes.
  private var limit: Int
  private var users: [UInt32: User] = [:]
  private let effects: EffectQueue

  init(_ limits: ConnectionLimits, effects: EffectQueue) {
    (limitPerUser, limit) = Self.parts(of: limits)
    self.effects = effects
  }

  /// Applies other limits to readings that begin from now on.
  func apply(_ limits: ConnectionLimits) { (limitPerUser, limit) = Self.parts(of: limits) }

  private static func parts(of limits: ConnectionLimits) -> (perUser: Int, all: Int) {
    (limits.bufferPerUser / 4, limits.buffer / 4)
  }

  /// What all readings hold, in bytes.
  var bytes: Int { users.values.reduce(0) { $0 + $1.bytes } }

  /// How many readings of a user are active, and how many wait.
  func counts(of user: UInt32) -> (active: Int, waiting: Int) {
    users[user].map { ($0.active.count, $0.waiting.count) } ?? (0, 0)
  }

  /// Begins a reading, or continues it.
  ///
  /// - Returns: Whether the stream may read the log now. If not, it gets a turn when it may.
  func begin(_ reading: any LogReading) -> Bool {
    let account = reading.channel.account
    var user = users.removeValue(forKey: account) ?? User()
    defer { users[account] = user }
    if let index = user.index(of: reading) {
      user.active[index].isPaused = false
      return true
    }
    evictIdle(of: &user, while: { !hasRoom(account, $0) && $0.bytes + $0.estimate > limitPerUser })
    if !hasRoom(account, user), user.bytes + user.estimate <= limitPerUser {
      evictIdleOfOthers()
      // If the others need all the memory, the user still has one place.
      evictIdle(of: &user, while: { !hasRoom(account, $0) })
    }
    guard hasRoom(account, user) else {
      if !user.waiting.contains(where: { $0 === reading }) { user.waiting.append(reading) }
      return false
    }
    user.waiting.removeAll { $0 === reading }
    user.active.append(Place(reading: reading))
    // There may be room for another one.
    wakeNext(of: user)
    return true
  }

  /// Counts what a reading holds after a step.
  ///
  /// - Returns: Whether the stream may continue. If not, it has to release what it holds, and gets a turn when it may.
  func count(_ reading: any LogReading) -> Bool {
    let account = reading.channel.account
    guard var user = users.removeValue(forKey: account) else { return false }
    defer { users[account] = user }
    guard let index = user.index(of: reading) else { return false }
    user.active[index].bytes = reading.readingBytes
    if account == 0 || user.bytes <= limitPerUser { return true }
    evictIdle(of: &user, except: reading, while: { $0.bytes + $0.estimate > limitPerUser })
    // The first one always makes progress.
    guard user.bytes > limitPerUser, let index = user.index(of: reading), index > 0 else { return true }
    user.active.remove(at: index)
    user.waiting.append(reading)
    return false
  }

  /// Lets a reading that has read everything keep its place until another one needs it. It begins again when the log has more.
  ///
  /// If another one of the user waits, the place is that one's, and what the reading holds is released.
  func pause(_ reading: any LogReading) {
    let account = reading.channel.account
    guard var user = users.removeValue(forKey: account) else { return }
    defer { if !user.active.isEmpty || !user.waiting.isEmpty { users[account] = user } }
    guard let index = user.index(of: reading) else { return }
    if user.waiting.isEmpty {
      user.active[index].isPaused = true
    } else {
      user.active.remove(at: index)
      reading.releaseReading()
      wakeNext(of: user)
    }
  }

  /// Ends a reading, and gives its place to another one.
  func end(_ reading: any LogReading) {
    let account = reading.channel.account
    guard var user = users.removeValue(forKey: account) else { return }
    user.waiting.removeAll { $0 === reading }
    if let index = user.index(of: reading) { user.active.remove(at: index) }
    if user.active.isEmpty, user.waiting.isEmpty { return }
    users[account] = user
    wakeNext(of: user)
  }

  /// Ends the readings that are idle while others of their users wait. A peer may have stopped reading since those began to
  /// wait. Called every few seconds, so that a peer that is only slow seldom makes its reading begin again.
  func tick() {
    for account in users.keys {
      guard var user = users.removeValue(forKey: account) else { continue }
      defer { users[account] = user }
      if user.waiting.isEmpty { continue }
      let count = user.active.count
      evictIdle(of: &user, while: { !hasRoom(account, $0) })
      if user.active.count < count { wakeNext(of: user) }
    }
  }

  private func wakeNext(of user: User) {
    if let next = user.waiting.first { effects.add(.wake(next.channel.connectionID)) }
  }

  /// Whether one more reading of a user may begin. Each user has one, and root any number.
  private func hasRoom(_ account: UInt32, _ user: User) -> Bool {
    if account == 0 || user.active.isEmpty { return true }
    return user.bytes + user.estimate <= limitPerUser && bytes + user.bytes + user.estimate <= limit
  }

  /// Ends idle readings, the first ones first, while a condition is true.
  private func evictIdle(of user: inout User, except kept: (any LogReading)? = nil, while isNeeded: (User) -> Bool) {
    var index = 0
    while index < user.active.count, isNeeded(user) {
      let place = user.active[index]
      if place.reading !== kept, place.isIdle {
        user.active.remove(at: index)
        place.reading.releaseReading()
      } else {
        index += 1
      }
    }
  }

  private func evictIdleOfOthers() {
    for account in users.keys where account != 0 {
      guard var user = users.removeValue(forKey: account) else { continue }
      evictIdle(of: &user, while: { _ in true })
      if user.active.isEmpty, user.waiting.isEmpty { continue }
      users[account] = user
      wakeNext(of: user)
    }
  }
}
