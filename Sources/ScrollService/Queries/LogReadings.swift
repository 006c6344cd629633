/// A stream that reads the log, and holds a part of it in memory meanwhile.
protocol LogReading: AnyObject {
  /// The stream's channel, which knows the user for whom the reading counts.
  var channel: ReplyChannel { get }
  /// How much memory the reading holds, in bytes.
  var readingBytes: Int { get }

  /// Releases what the reading holds. The stream continues later from where it was.
  func releaseReading()
}

extension LogReading {
  /// Whether the reading can't continue until the peer reads.
  fileprivate var isStalled: Bool { channel.outputCount > channel.outputLimit }
}

/// The streams that read the log, and those that wait until they may.
///
/// What they hold is only a copy of what is on disk. So the memory of a user is divided by turns: as many streams read at
/// once as fit into a quarter of it, but always one. The others wait, in order. A stream whose peer doesn't read gives its
/// place up when another one waits for it.
final class LogReadings {
  /// The readings of one user.
  private struct User {
    /// Those that may read, the first one first.
    var active: [any LogReading] = []
    var waiting: [any LogReading] = []
    /// What the active ones were counted with, in the same order, in bytes.
    var counted: [Int] = []

    var bytes: Int { counted.reduce(0, +) }

    /// What the next reading is expected to hold, in bytes: as much as the others on average.
    var estimate: Int { max(LogReadings.firstEstimate, bytes / max(1, active.count)) }

    func index(of reading: any LogReading) -> Int? { active.firstIndex { $0 === reading } }

    @discardableResult
    mutating func remove(at index: Int) -> any LogReading {
      counted.remove(at: index)
      return active.remove(at: index)
    }
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
    if users[account]?.index(of: reading) != nil { return true }
    var user = users.removeValue(forKey: account) ?? User()
    defer { users[account] = user }
    if !hasRoom(account, user) { evictStalled(of: &user) }
    if !hasRoom(account, user), user.bytes + user.estimate <= limitPerUser { evictStalledOfOthers() }
    guard hasRoom(account, user) else {
      if !user.waiting.contains(where: { $0 === reading }) { user.waiting.append(reading) }
      return false
    }
    user.waiting.removeAll { $0 === reading }
    user.active.append(reading)
    user.counted.append(Self.firstEstimate)
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
    user.counted[index] = reading.readingBytes
    if account == 0 || user.bytes <= limitPerUser { return true }
    evictStalled(of: &user, except: reading)
    // The first one always makes progress.
    guard user.bytes > limitPerUser, let index = user.index(of: reading), index > 0 else { return true }
    user.remove(at: index)
    user.waiting.append(reading)
    return false
  }

  /// Ends a reading, and gives its place to another one.
  func end(_ reading: any LogReading) {
    let account = reading.channel.account
    guard var user = users.removeValue(forKey: account) else { return }
    user.waiting.removeAll { $0 === reading }
    if let index = user.index(of: reading) { user.remove(at: index) }
    if user.active.isEmpty, user.waiting.isEmpty { return }
    users[account] = user
    wakeNext(of: user)
  }

  private func wakeNext(of user: User) {
    if let next = user.waiting.first { effects.add(.wake(next.channel.connectionID)) }
  }

  /// Whether one more reading of a user may begin. Each user has one, and root any number.
  private func hasRoom(_ account: UInt32, _ user: User) -> Bool {
    if account == 0 || user.active.isEmpty { return true }
    return user.bytes + user.estimate <= limitPerUser && bytes + user.bytes + user.estimate <= limit
  }

  /// Ends the readings whose peers don't read, until one more may begin.
  private func evictStalled(of user: inout User, except kept: (any LogReading)? = nil) {
    var index = 0
    while index < user.active.count, user.bytes + user.estimate > limitPerUser {
      let reading = user.active[index]
      if reading !== kept, reading.isStalled {
        user.remove(at: index)
        reading.releaseReading()
      } else {
        index += 1
      }
    }
  }

  private func evictStalledOfOthers() {
    for account in users.keys where account != 0 {
      guard var user = users.removeValue(forKey: account) else { continue }
      for index in user.active.indices.reversed() where user.active[index].isStalled {
        user.remove(at: index).releaseReading()
      }
      if !user.active.isEmpty || !user.waiting.isEmpty { users[account] = user }
    }
  }
}
