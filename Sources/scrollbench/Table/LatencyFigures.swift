import JSON
import Platform
import ScrollModel
import Varlink

/// How long one event takes until it is answered, and until a subscriber has its transition, next to the least that the system
/// calls for it take.
///
/// Client and server are pinned, in turn to a core each and to the same one, and the contenders take turns in one run, so that
/// what disturbs one disturbs all.
struct LatencyFigures {
  let settings: TableSettings
  /// How many events each contender gets in a run.
  let events: Int

  /// A server that answers, or pushes, one message at a time.
  private final class Contender {
    private let sending: RawConnection
    private let receiving: RawConnection
    private let messages: Messages
    private let stop: () -> Void
    private var next = 0
    private(set) var medians: [Double] = []
    private(set) var tails: [Double] = []

    init(
      sending: RawConnection, receiving: RawConnection, _ messages: consuming Messages, stop: @escaping () -> Void
    ) {
      self.sending = sending
      self.receiving = receiving
      self.messages = messages
      self.stop = stop
    }

    /// Measures some messages, in microseconds.
    func run(_ count: Int) throws {
      var times: [Double] = []
      times.reserveCapacity(count)
      for _ in 0..<count {
        let start = ContinuousClock.now
        try messages.lend(next..<next + 1) { try sending.send($0) }
        try receiving.receive()
        times.append((ContinuousClock.now - start).inSeconds * 1e6)
        next += 1
      }
      medians.append(quantile(times, 0.5))
      tails.append(quantile(times, 0.99))
    }

    func end() { stop() }
  }

  // MARK: Answers

  /// Measures answered events with a value of `Sync=`.
  func answered(_ sync: String, _ placement: TableSettings.Placement) throws -> [TableRow] {
    let isDurable = sync == "commit"
    var contenders = [
      try floor(isDurable ? .syncedEcho : .echo, placement), try daemon(sync: sync, placement),
    ]
    if let program = settings.redis {
      contenders.append(try redis(program, isDurable ? .always : .none, placement))
    }
    try measure(contenders)
    let title = "answered, \(sync), \(placement.rawValue), p50"
    let floorName = isDurable ? "write + fdatasync + round trip" : "round trip"
    let limit = placement == .oneCore ? 2 : isDurable ? 1.2 : 1.25
    var rows = [
      TableRow(
        figure: title, unit: "µs", values: contenders[1].medians, other: (floorName, contenders[0].medians),
        goal: isDurable && placement == .oneCore ? .none : .atMost(limit))
    ]
    if contenders.count > 2 {
      rows.append(
        TableRow(
          figure: title, unit: "µs", values: contenders[1].medians,
          other: (isDurable ? "Redis, always" : "Redis, no AOF", contenders[2].medians), goal: .atMost(1)))
    }
    return rows
  }

  private func measure(_ contenders: [Contender]) throws {
    defer { for contender in contenders { contender.end() } }
    try settings.run(on: [settings.processors[0]])
    defer { try? settings.run(on: settings.processors) }
    for run in 0..<settings.runs {
      for index in contenders.indices { try contenders[(index + run) % contenders.count].run(events) }
    }
  }

  private var count: Int { settings.runs * events }

  private func floor(_ work: FloorServer.Work, _ placement: TableSettings.Placement) throws -> Contender {
    let floor = try settings.startingServer(placement) { try Floor(work, in: settings.directory) }
    // It sends back what it gets, so its messages are as long as the daemon's, and end like them.
    let sending = try RawConnection(floor.socket, terminator: 0)
    let receiving = work.isRelay ? try RawConnection(floor.socket, terminator: 0) : sending
    return Contender(sending: sending, receiving: receiving, appends(work.isRelay), stop: floor.stop)
  }

  private func daemon(sync: String, _ placement: TableSettings.Placement) throws -> Contender {
    let daemon = try settings.startingServer(placement) {
      try BenchmarkDaemon(in: settings.directory, configuration: "[Log]\nSync=\(sync)\n")
    }
    let feeder = try RawConnection(daemon.socket, terminator: 0)
    try open(feeder)
    return Contender(sending: feeder, receiving: feeder, appends(false), stop: daemon.stop)
  }

  private func redis(
    _ program: String, _ persistence: BenchmarkRedis.Persistence, _ placement: TableSettings.Placement
  ) throws -> Contender {
    let redis = try settings.startingServer(placement) {
      try BenchmarkRedis(program, persistence, in: settings.directory)
    }
    let feeder = try RawConnection(redis.socket, terminator: UInt8(ascii: "\n"))
    var messages = Messages()
    for number in 1...count { messages.add { settings.load.addPush(of: number, to: Self.session, &$0) } }
    return Contender(sending: feeder, receiving: feeder, messages, stop: redis.stop)
  }

  private static let session = "0123456789abcdef0123456789abcdef"

  private func open(_ feeder: RawConnection) throws {
    let call = JSONWriter.encode { writer in
      writer.beginObject()
      writer.member("method", "org.scrolld.Recorder.Open")
      writer.key("parameters")
      writer.beginObject()
      writer.member("client", "scrollbench")
      writer.member("session", Self.session)
      writer.endObject()
      writer.endObject()
    }
    try (call + [0]).withUnsafeBytes { try feeder.send($0) }
    try feeder.receive()
  }

  private func appends(_ isPush: Bool) -> Messages {
    var messages = Messages()
    let first = isPush ? Self.preparations.count + 1 : 1
    for number in first..<first + count {
      messages.add { text in
        if isPush {
          Load.addAppend([turn(number)], from: number, to: Self.session, isOneway: true, &text)
        } else {
          settings.load.addAppend(of: number...number, to: Self.session, isOneway: false, &text)
        }
      }
    }
    return messages
  }

  // MARK: Pushes

  /// Measures the time from an event to its transition at a subscriber, with a value of `Sync=`.
  func pushed(_ sync: String, _ placement: TableSettings.Placement) throws -> [TableRow] {
    let isDurable = sync == "commit"
    let contenders = [
      try floor(isDurable ? .syncedRelay : .relay, placement), try subscribedDaemon(sync: sync, placement),
    ]
    try measure(contenders)
    let title = "event to transition, \(sync), \(placement.rawValue)"
    let floorName = isDurable ? "relay + write + fdatasync" : "relay"
    let limit = placement == .oneCore ? 1.8 : isDurable ? 1.15 : 1.2
    return [
      TableRow(
        figure: title + ", p50", unit: "µs", values: contenders[1].medians, other: (floorName, contenders[0].medians),
        goal: isDurable && placement == .oneCore ? .none : .atMost(limit)),
      TableRow(
        figure: title + ", p99", unit: "µs", values: contenders[1].tails, other: (floorName, contenders[0].tails),
        goal: !isDurable && placement == .twoCores ? .atMost(1.5) : .none),
    ]
  }

  private func subscribedDaemon(sync: String, _ placement: TableSettings.Placement) throws -> Contender {
    let daemon = try settings.startingServer(placement) {
      try BenchmarkDaemon(in: settings.directory, configuration: "[Log]\nSync=\(sync)\n")
    }
    let feeder = try RawConnection(daemon.socket, terminator: 0)
    try open(feeder)
    var preparation = ByteBuffer()
    Load.addAppend(Self.preparations, from: 1, to: Self.session, isOneway: false, &preparation)
    try preparation.withUnsafeReadableBytes { try feeder.send($0) }
    try feeder.receive()
    let subscriber = try RawConnection(daemon.socket, terminator: 0)
    let call = #"{"method":"org.scrolld.Observer.Subscribe","more":true}"#
    try (Array(call.utf8) + [0]).withUnsafeBytes { try subscriber.send($0) }
    try subscriber.receive(through: #""caughtUp":true"#)
    return Contender(sending: feeder, receiving: subscriber, appends(true), stop: daemon.stop)
  }

  /// A page and a position, from which the events that follow can scroll.
  private static let preparations: [Event] = {
    var layout = Event(.layout, time: 1_700_000_000_000_000)
    layout.contentWidth = 390
    layout.contentHeight = 16_880
    layout.frameWidth = 390
    layout.frameHeight = 844
    var scroll = Event(.scroll, time: 1_700_000_000_000_000)
    scroll.x = 0
    scroll.y = 4000
    return [layout, scroll]
  }()

  /// Returns an event that turns the toolbar: the page moves down and up in turn, by more than the distances of the rule.
  private func turn(_ number: Int) -> Event {
    var event = Event(.scroll, time: 1_700_000_000_000_000 + Int64(number) * 16_667)
    event.x = 0
    event.y = 4000 + (number % 2 == 0 ? 0 : 40) + Double(number % 7)
    return event
  }
}
