import ScrollLog
import ScrollModel

/// The live subscriptions of one user, and the pushes to them that wait, in order.
///
/// Pushes are made in bounded pieces, so that other users' turns come in between. Each subscription gets its messages in the order of
/// their positions. A subscription that joins later has seen everything that waits, and does not get it again.
final class Audience {
  /// How many comparisons of patterns cost as much as a push.
  private static let stepsPerPush = 200
  /// How many pushes cost as much as encoding a message.
  private static let encodingCost = 4

  /// How far the first push is.
  private struct Cursor {
    /// The lists of entries that may match a new session's client.
    var lists: [[PatternIndex<Subscription>.Entry]]?
    var list = 0
    var entry = 0
    /// The subscriptions that get the push now.
    var current: [Subscription] = []
    var index = 0
  }

  let user: UInt32
  /// The user for whose turns the pushes count.
  let account: UInt32
  private(set) var live: [ObjectIdentifier: Subscription] = [:]
  /// How many live subscriptions see all users' clients.
  private(set) var observerCount = 0
  /// How many live subscriptions want frames.
  private(set) var frameCount = 0
  /// The subscriptions that see only their own user's clients, and those that see all.
  private var own = PatternIndex<Subscription>()
  private var observers = PatternIndex<Subscription>()
  /// The subscriptions in the order in which they became live, void ones included.
  private var joined: [Watcher] = []
  private var watchers: [SessionID: SessionWatchers] = [:]
  private let lists = ListMemory()
  private var pushes = Fifo<Push>()
  private var backlog = 0
  private var lastPosition: Position = 0
  private var cursor = Cursor()
  /// Subscriptions that wait until all pushes are made.
  private var waiting: [Subscription] = []

  init(user: UInt32, account: UInt32) {
    self.user = user
    self.account = account
  }

  var hasPushes: Bool { !pushes.isEmpty }
  /// What was counted for the user when that was last done, in bytes.
  var countedBytes: Int {
    get { lists.countedBytes }
    set { lists.countedBytes = newValue }
  }
  /// How much memory the pushes that wait take, and the lists of watchers, in bytes.
  var heldBytes: Int { backlog + lists.bytes }
  var watcherCounts: [Int] { watchers.values.map(\.entries.count) }

  // MARK: Subscriptions

  func join(_ subscription: Subscription) {
    live[ObjectIdentifier(subscription)] = subscription
    joined.append(Watcher(subscription))
    if subscription.wantsFrames { frameCount += 1 }
    let filter = subscription.filter
    if filter.seesEveryone {
      observerCount += 1
      observers.add(subscription, filter.glob)
    } else {
      own.add(subscription, filter.glob)
    }
  }

  /// - Returns: Whether it was live.
  func leave(_ subscription: Subscription) -> Bool {
    guard live.removeValue(forKey: ObjectIdentifier(subscription)) != nil else { return false }
    if subscription.wantsFrames { frameCount -= 1 }
    let filter = subscription.filter
    if filter.seesEveryone {
      observerCount -= 1
      observers.remove(subscription, filter.glob)
    } else {
      own.remove(subscription, filter.glob)
    }
    if live.isEmpty { dropPushes() }
    return true
  }

  /// Removes and returns all live subscriptions.
  func leaveAll() -> [Subscription] {
    let all = Array(live.values)
    live = [:]
    joined = []
    own = PatternIndex()
    observers = PatternIndex()
    observerCount = 0
    frameCount = 0
    dropPushes()
    return all
  }

  /// Returns whether a subscription may see a user's clients.
  func maySee(_ owner: UInt32) -> Bool { owner == user || observerCount > 0 }

  /// Returns the position up to which a live subscription has got everything.
  func reached(_ subscription: Subscription, horizon: Position) -> Position {
    guard let first = pushes.first, lastPosition > subscription.position else { return horizon }
    return max(subscription.position, first.position - 1)
  }

  /// Lets a live subscription wait until all pushes are made.
  ///
  /// - Returns: Whether any are left for it.
  func awaitPushes(_ subscription: Subscription) -> Bool {
    guard hasPushes, lastPosition > subscription.position else { return false }
    waiting.append(subscription)
    return true
  }

  /// Removes and returns the subscriptions that waited for the pushes, which are all made.
  func takeWaiting() -> [Subscription] {
    defer { waiting = [] }
    return waiting
  }

  /// Removes the entries of subscriptions that are no longer live.
  func sweep() {
    // The pushes that wait refer to entries by their places.
    if hasPushes { return }
    var kept = [0]
    for watcher in joined { kept.append(kept[kept.count - 1] + (watcher.isValid ? 1 : 0)) }
    joined.removeAll { !$0.isValid }
    for watchers in watchers.values {
      watchers.matchedCount = kept[watchers.matchedCount]
      watchers.removeVoid()
    }
  }

  /// Releases the lists of watchers, except for those that pushes need. They are made again for the next changes.
  func releaseLists() { watchers = [:] }

  // MARK: Sessions

  /// The watchers of a session that may have some; `nil` if it certainly has none.
  func watchers(of session: Session) -> SessionWatchers? {
    let found = watchers[session.id] ?? SessionWatchers(session, lists)
    watchers[session.id] = found
    return found.entries.isEmpty && !found.isOpening && found.matchedCount == joined.count ? nil : found
  }

  /// Begins the list of a new session's watchers, which the push of its opening fills; `nil` if it certainly has none.
  func beginWatchers(of session: Session) -> SessionWatchers? {
    let begun = SessionWatchers(session, lists)
    begun.matchedCount = joined.count
    begun.isOpening = !candidates(for: begun).isEmpty
    watchers[session.id] = begun
    return begun.isOpening ? begun : nil
  }

  func forgetWatchers(of session: SessionID) { watchers[session] = nil }

  // MARK: Pushes

  func add(_ push: Push) {
    pushes.append(push)
    backlog += push.size
    lastPosition = push.position
  }

  /// Drops all pushes that wait, since nobody gets them.
  func dropPushes() {
    while let push = pushes.popFirst() { push.watchers.isOpening = false }
    backlog = 0
    cursor = Cursor()
    watchers = [:]
  }

  /// Makes pushes that cost up to an amount.
  ///
  /// - Parameter deliver: Sends a push to a subscription that has not got it.
  func advance(cost: Int, _ deliver: (Push, Subscription) -> Void) {
    var left = cost
    while left > 0, let push = pushes.first {
      left -= 1
      let isDone =
        switch push.kind {
        case .opened: advanceOpening(push, &left, deliver)
        case .changed, .closed: advanceChange(push, &left, deliver)
        }
      // A reader that was too slow may have been the last one, so that all pushes were dropped.
      guard hasPushes else {
        cursor = Cursor()
        return
      }
      guard isDone else { return }
      _ = pushes.popFirst()
      backlog -= push.size
      cursor = Cursor()
    }
  }

  /// - Returns: Whether the push is done.
  private func advanceOpening(_ push: Push, _ left: inout Int, _ deliver: (Push, Subscription) -> Void) -> Bool {
    let watchers = push.watchers
    let lists = cursor.lists ?? candidates(for: watchers)
    cursor.lists = lists
    while true {
      while cursor.index < cursor.current.count {
        if left <= 0 { return false }
        let subscription = cursor.current[cursor.index]
        cursor.index += 1
        // It may have got the push already, by another of its patterns, or have joined after it.
        guard subscription.isLive, subscription.position < push.position else { continue }
        left -= 1
        watchers.append(Watcher(subscription))
        left -= encoding(push)
        deliver(push, subscription)
      }
      guard cursor.list < lists.count else { break }
      guard cursor.entry < lists[cursor.list].count else {
        cursor.list += 1
        cursor.entry = 0
        continue
      }
      if left <= 0 { return false }
      let entry = lists[cursor.list][cursor.entry]
      cursor.entry += 1
      left -= 1 + entry.cost / Self.stepsPerPush
      guard entry.matches(watchers.client) else { continue }
      cursor.current = Array(entry.subscribers.values)
      cursor.index = 0
    }
    watchers.isOpening = false
    return true
  }

  /// Returns what encoding costs, if a push is not encoded yet.
  private func encoding(_ push: Push) -> Int {
    let isEncoded = push.message?.isEncoded ?? true && push.frame?.isEncoded ?? true
    return isEncoded ? 0 : Self.encodingCost
  }

  private func candidates(for watchers: SessionWatchers) -> [[PatternIndex<Subscription>.Entry]] {
    let isOwn = watchers.session.client.user == user
    return observers.candidates(for: watchers.client) + (isOwn ? own.candidates(for: watchers.client) : [])
  }

  /// - Returns: Whether the push is done.
  private func advanceChange(_ push: Push, _ left: inout Int, _ deliver: (Push, Subscription) -> Void) -> Bool {
    let watchers = push.watchers
    while watchers.matchedCount < joined.count {
      if left <= 0 { return false }
      let watcher = joined[watchers.matchedCount]
      watchers.matchedCount += 1
      let filter = watcher.subscription.filter
      left -= 1 + filter.glob.maximumSteps / Self.stepsPerPush
      if watcher.isValid, filter.admits(watchers.session.client) { watchers.append(watcher) }
    }
    while cursor.index < watchers.entries.count {
      if left <= 0 { return false }
      let watcher = watchers.entries[cursor.index]
      cursor.index += 1
      left -= 1
      guard watcher.isValid else { continue }
      if watcher.subscription.position < push.position {
        left -= encoding(push)
        deliver(push, watcher.subscription)
      }
      if push.kind == .closed { watcher.subscription.forget(watchers.session.id) }
    }
    return true
  }
}

/// The live subscriptions of one user that watch a session.
final class SessionWatchers {
  let session: Session
  let client: ScannedName
  private(set) var entries: [Watcher] = []
  /// How many of the audience's subscriptions, in the order in which they joined, were matched with the client.
  fileprivate var matchedCount = 0
  /// Whether the push of its opening waits, which finds the watchers.
  fileprivate var isOpening = false
  private let memory: ListMemory
  private var countedBytes = 0

  fileprivate init(_ session: Session, _ memory: ListMemory) {
    self.session = session
    client = ScannedName(session.client.name.text)
    self.memory = memory
    count()
  }

  deinit {
    memory.bytes -= countedBytes
  }

  fileprivate func append(_ watcher: Watcher) {
    entries.append(watcher)
    count()
  }

  fileprivate func removeVoid() {
    entries.removeAll { !$0.isValid }
    count()
  }

  private func count() {
    let bytes = 256 + client.scalars.count * 4 + entries.capacity * MemoryLayout<Watcher>.stride
    memory.bytes += bytes - countedBytes
    countedBytes = bytes
  }
}

/// What the lists of watchers of one audience take, in bytes, and what was last counted of that and the pushes.
private final class ListMemory {
  var bytes = 0
  var countedBytes = 0
}
