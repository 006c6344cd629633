import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

/// A random program: feeders of two users that open, append, resend, query and close; subscribers of all kinds, fast and
/// slow; rotations, packed segments, full disks, partial messages, and a slow commit thread.
///
/// The seed alone determines each step.
final class RandomProgram {
  /// A subscriber and its parameters.
  struct Subscriber {
    let client: TestClient
    let call: TestCall
    let user: UInt32
    let seesEveryone: Bool
    let prefix: String?
    let after: Int64?
    var hasHungUp = false
  }

  /// A feeder's connection, and what it knows of its session.
  private struct Feeder {
    var connection: TestClient
    let user: UInt32
    let name: String
    var session: JSONTree?
    var nextNumber: Int64 = 1
    /// The events that it sent, for resends.
    var sent: [(number: Int64, events: [JSONTree])] = []
    var story: ArraySlice<JSONTree> = []
  }

  let daemon: TestDaemon
  private(set) var subscribers: [Subscriber] = []
  /// Every call of `Append` with its session.
  private(set) var appends: [(session: String, call: TestCall)] = []
  /// All other calls.
  private(set) var calls: [TestCall] = []
  private var random: SeededRandom
  private var feeders: [Feeder] = []
  private var listeners: [TestClient] = []
  private var root: TestClient
  /// Whether the daemon is restarted or killed now and then.
  private let replacesDaemon: Bool

  init(seed: UInt64, replacesDaemon: Bool = false) throws {
    self.replacesDaemon = replacesDaemon
    random = SeededRandom(seed: seed)
    let sync = Configuration.Sync.allCases[random.happens(0.7) ? 0 : random.whole(1...2)]
    // Half of the programs have small segments, which are packed while the program runs.
    let compresses = random.happens(0.5)
    daemon = try TestDaemon {
      $0.maximumOutput = 16 << 10
      $0.compress = compresses
      $0.segmentSize = compresses ? 16 << 10 : 1 << 20
      $0.sync = sync
      $0.sessionIdle = 600_000_000
    }
    // Some programs read the past from the segment's checkpoint, some from a recent copy.
    daemon.service.log.recent.interval = random.happens(0.5) ? 2 << 10 : .max
    root = try daemon.connect(user: 0)
    for user in [1000, 1001] as [UInt32] {
      for name in ["reader", "feed/1", "feed/2"] {
        feeders.append(Feeder(connection: try daemon.connect(user: user), user: user, name: name))
      }
    }
  }

  /// Does a number of random steps.
  func run(steps: Int) throws {
    for _ in 0..<steps { try step() }
  }

  /// Finishes everything that is under way.
  func finish() {
    daemon.fileSystem.capacity = .max
    daemon.release()
    for subscriber in subscribers where !subscriber.hasHungUp { subscriber.client.read() }
    daemon.settle()
  }

  private func step() throws {
    if replacesDaemon, random.happens(0.02) { try replaceDaemon() }
    let feeder = random.whole(0...feeders.count - 1)
    switch random.whole(0...99) {
    case 0..<38: try append(feeder)
    case 38..<44: open(feeder)
    case 44..<46: close(feeder)
    case 46..<48: try reconnect(feeder)
    case 48..<52: resend(feeder)
    case 52..<56: try subscribe()
    case 56..<64: readSome()
    case 64..<66: hangUp()
    case 66: calls.append(root.send("Rotate"))
    case 67: calls.append(root.send("Sync"))
    case 68..<71: try listen(feeder)
    case 71..<73: calls.append(root.send("Scroll", ["client": .string(feeders[feeder].name), "target": "top"]))
    case 73: respond(feeder)
    case 74: daemon.fileSystem.capacity = random.happens(0.3) ? 0 : .max
    case 75:
      daemon.clock.advance(seconds: 5)
      daemon.service.tick()
    case 76..<80: daemon.isHolding = random.happens(0.6)
    case 80..<90: daemon.finishJob()
    default: daemon.turn()
    }
    if random.happens(0.2) { someOfATurn() }
  }

  /// Replaces the daemon. Clients that lost their connections reconnect.
  private func replaceDaemon() throws {
    daemon.fileSystem.capacity = .max
    if random.happens(0.5) { try daemon.restart() } else { try daemon.kill() }
    for index in subscribers.indices where subscribers[index].client.isClosed { subscribers[index].hasHungUp = true }
    listeners.removeAll { $0.isClosed }
    for index in feeders.indices where feeders[index].connection.isClosed { try reconnect(index) }
    if root.isClosed { root = try daemon.connect(user: 0) }
  }

  /// A turn in random order, with partial messages.
  private func someOfATurn() {
    let feeder = feeders[random.whole(0...feeders.count - 1)].connection
    if daemon.service.wantsInput(on: feeder.id) { feeder.deliver(random.whole(1...3000)) }
    switch random.whole(0...2) {
    case 0: daemon.service.advance()
    case 1: daemon.takeJob()
    default: feeder.drain(random.whole(1...500))
    }
  }

  // MARK: Feeders

  private func open(_ index: Int) {
    var parameters: JSONTree = ["client": .string(feeders[index].name)]
    if let session = feeders[index].session, random.happens(0.5) {
      parameters["session"] = session
    } else {
      parameters["session"] = .string("\(SessionID(high: random.next(), low: random.next()))")
      feeders[index].nextNumber = 1
      feeders[index].sent = []
    }
    if random.happens(0.3) { parameters["closeOnDisconnect"] = true }
    if random.happens(0.3) { parameters["title"] = "Ein Titel – 標題" }
    feeders[index].session = parameters["session"]
    calls.append(feeders[index].connection.send("Open", parameters))
  }

  private func append(_ index: Int) throws {
    guard let session = feeders[index].session else { return open(index) }
    while feeders[index].story.isEmpty {
      feeders[index].story = try Gestures.json(RandomSession.mixed(seed: random.next()))[...]
    }
    let count = random.whole(1...12)
    var events = Array(feeders[index].story.prefix(count))
    feeders[index].story = feeders[index].story.dropFirst(count)
    if random.happens(0.03) { events.append(["kind": "scroll", "time": 1, "x": 0]) }
    let number = feeders[index].nextNumber
    var parameters: JSONTree = ["session": session, "events": .array(events)]
    let isNumbered = random.happens(0.8)
    if isNumbered { parameters["number"] = .int(random.happens(0.02) ? number + 5 : number) }
    if random.happens(0.15) {
      feeders[index].connection.send("Append", parameters, .oneway)
    } else {
      appends.append((session.string ?? "", feeders[index].connection.send("Append", parameters)))
    }
    // A feeder that does not wait for answers assumes success, and sometimes learns otherwise.
    feeders[index].nextNumber += Int64(events.count)
    if isNumbered { feeders[index].sent.append((number, events)) }
    if random.happens(0.05) { feeders[index].nextNumber = known(index) }
  }

  /// The right next number, as Open would return it.
  private func known(_ index: Int) -> Int64 {
    let id = feeders[index].session?.string.flatMap { SessionID($0) }
    return id.flatMap { daemon.service.sessions[$0]?.nextNumber } ?? 1
  }

  private func resend(_ index: Int) {
    guard let session = feeders[index].session, !feeders[index].sent.isEmpty else { return }
    let (number, events) = feeders[index].sent[random.whole(0...feeders[index].sent.count - 1)]
    let parameters: JSONTree = ["session": session, "number": .int(number), "events": .array(events)]
    appends.append((session.string ?? "", feeders[index].connection.send("Append", parameters)))
  }

  private func close(_ index: Int) {
    guard let session = feeders[index].session else { return }
    calls.append(feeders[index].connection.send("Close", ["session": session]))
    if random.happens(0.8) { feeders[index].session = nil }
  }

  private func reconnect(_ index: Int) throws {
    let before = feeders[index].connection
    feeders[index].connection = try daemon.connect(user: feeders[index].user)
    before.hangUp()
  }

  private func listen(_ index: Int) throws {
    guard let session = feeders[index].session else { return }
    let listener = try daemon.connect(user: feeders[index].user)
    listeners.append(listener)
    calls.append(listener.send("Requests", ["session": session], .more))
    if listeners.count > 4 { listeners.removeFirst().hangUp() }
  }

  private func respond(_ index: Int) {
    let request = calls.lazy.flatMap { $0.values("request") }.last?["request"] ?? 1
    guard let session = feeders[index].session else { return }
    let parameters: JSONTree = ["session": session, "request": request, "done": true]
    calls.append(feeders[index].connection.send("Respond", parameters))
  }

  // MARK: Subscribers

  private func subscribe() throws {
    guard subscribers.filter({ !$0.hasHungUp }).count < 12 else { return }
    let user: UInt32 = [0, 1000, 1001, 1002][random.whole(0...3)]
    let groups: [UInt32] = user == 1002 ? [77] : []
    let client = try daemon.connect(user: user, groups: groups)
    let last = daemon.service.lastPosition
    let after = random.happens(0.6) ? Int64(random.whole(0...Int(last))) : nil
    let prefix = random.happens(0.3) ? "feed/" : nil
    var parameters: JSONTree = [:]
    if let after { parameters["after"] = .int(after) }
    if let prefix { parameters["clients"] = [.string(prefix + "*")] }
    if random.happens(0.3) { parameters["detail"] = "frames" }
    if random.happens(0.5) { client.window = random.whole(0...20_000) }
    let call = client.send("Subscribe", parameters, .more)
    subscribers.append(
      Subscriber(
        client: client, call: call, user: user, seesEveryone: user == 0 || user == 1002, prefix: prefix, after: after))
  }

  private func readSome() {
    guard let subscriber = subscribers.filter({ !$0.hasHungUp }).randomElement(using: &random) else { return }
    subscriber.client.window = random.happens(0.2) ? .max : random.whole(1...30_000)
    subscriber.client.drain(random.happens(0.5) ? .max : random.whole(1...5000))
  }

  private func hangUp() {
    guard let index = subscribers.indices.randomElement(using: &random), !subscribers[index].hasHungUp else { return }
    subscribers[index].hasHungUp = true
    subscribers[index].client.hangUp()
  }
}
