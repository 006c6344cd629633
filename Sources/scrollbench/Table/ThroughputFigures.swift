import JSON
import Platform
import ScrollModel

/// How many events a second the daemon takes from several connections, next to Redis; and what they cost the processor.
struct ThroughputFigures {
  let settings: TableSettings
  /// How many events all connections of a measurement send together.
  let events: Int

  /// What one measurement came to.
  private struct Result {
    var rate: Double
    /// The daemon's processor time per event, in microseconds.
    var cost: Double
  }

  // MARK: Batches

  /// Measures calls of 64 events, one under way on each connection, with `Sync=commit`.
  func batches(connections: Int, goal: Double) throws -> [TableRow] {
    let calls = try prepare(connections, batch: 64) { messages, session, number in
      messages.add { settings.load.addAppend(of: number...number + 63, to: session, isOneway: false, &$0) }
    }
    let pushes = try prepare(connections, batch: 64) { messages, session, number in
      messages.add { text in
        for event in number..<number + 64 { settings.load.addPush(of: event, to: session, &text) }
      }
    }
    var results: [Result] = []
    var others: [Double] = []
    for _ in 0..<settings.runs {
      results.append(try runDaemon(calls, sync: "commit"))
      if let program = settings.redis { others.append(try runRedis(program, pushes, .always)) }
    }
    let title = "\(connections) connections × 64 events a call, commit"
    var rows = rows(title, results, others, "Redis, \(connections) × P64, always", goal)
    rows.append(
      TableRow(
        figure: title + ", processor time an event", unit: "µs", values: results.map(\.cost),
        goal: connections == 4 ? .none : .atMost(0.35)))
    return rows
  }

  private func rows(
    _ title: String, _ results: [Result], _ others: [Double], _ name: String, _ goal: Double
  ) -> [TableRow] {
    let values = results.map { $0.rate / 1000 }
    if others.isEmpty { return [TableRow(figure: title, unit: "1000/s", values: values)] }
    return [
      TableRow(
        figure: title, unit: "1000/s", values: values, other: (name, others.map { $0 / 1000 }), goal: .atLeast(goal))
    ]
  }

  /// Prepares the messages of each connection.
  private func prepare(
    _ connections: Int, batch: Int, _ add: (inout Messages, _ session: String, _ number: Int) -> Void
  ) throws -> [Feed] {
    (0..<connections).map { index in
      let session = Self.session(index)
      var messages = Messages()
      for call in 0..<max(1, events / connections / batch) { add(&messages, session, call * batch + 1) }
      return Feed(session: session, messages: messages)
    }
  }

  /// The messages of one connection.
  private final class Feed {
    let session: String
    let messages: Messages

    init(session: String, messages: consuming Messages) {
      self.session = session
      self.messages = messages
    }
  }

  private static func session(_ index: Int) -> String {
    let digits = String(index + 1)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  private func runDaemon(_ feeds: [Feed], sync: String) throws -> Result {
    let daemon = try BenchmarkDaemon(in: settings.directory, configuration: "[Log]\nSync=\(sync)\n")
    defer { daemon.stop() }
    let connections = try open(feeds, daemon.socket)
    let used = daemon.processorTime
    let seconds = try exchange(feeds, connections, repliesPerMessage: 1)
    let count = Double(feeds[0].messages.count * 64 * feeds.count)
    return Result(rate: count / seconds, cost: (daemon.processorTime - used) / count * 1e6)
  }

  private func runRedis(
    _ program: String, _ feeds: [Feed], _ persistence: BenchmarkRedis.Persistence
  ) throws -> Double {
    let redis = try BenchmarkRedis(program, persistence, in: settings.directory)
    defer { redis.stop() }
    let connections = try feeds.map { _ in try RawConnection(redis.socket, terminator: UInt8(ascii: "\n")) }
    let seconds = try exchange(feeds, connections, repliesPerMessage: 64)
    return Double(feeds[0].messages.count * 64 * feeds.count) / seconds
  }

  private func open(_ feeds: [Feed], _ socket: String) throws -> [RawConnection] {
    try feeds.map { feed in
      let connection = try RawConnection(socket, terminator: 0)
      let call =
        #"{"method":"org.scrolld.Recorder.Open","parameters":{"client":"\#(feed.session)","session":"\#(feed.session)"}}"#
      try (Array(call.utf8) + [0]).withUnsafeBytes { try connection.send($0) }
      try connection.receive()
      return connection
    }
  }

  /// Sends each connection's next message when the last one was answered.
  ///
  /// - Returns: The seconds that all of them took.
  private func exchange(_ feeds: [Feed], _ connections: [RawConnection], repliesPerMessage: Int) throws -> Double {
    let start = ContinuousClock.now
    for index in 0..<feeds[0].messages.count {
      for (feed, connection) in zip(feeds, connections) {
        if index > 0 { try connection.receive(repliesPerMessage) }
        try feed.messages.lend(index..<index + 1) { try connection.send($0) }
      }
    }
    for connection in connections { try connection.receive(repliesPerMessage) }
    return (ContinuousClock.now - start).inSeconds
  }

  // MARK: Oneway calls

  /// How many oneway calls a client sends at once: what fits into a socket.
  private static let callsPerSend = 256

  /// Measures oneway calls of one event from four connections, without a sync for each.
  func oneway() throws -> [TableRow] {
    let count = 4
    let calls = try prepare(count, batch: 1) { messages, session, number in
      messages.add { settings.load.addAppend(of: number...number, to: session, isOneway: true, &$0) }
    }
    let pushes = try prepare(50, batch: 64) { messages, session, number in
      messages.add { text in
        for event in number..<number + 64 { settings.load.addPush(of: event, to: session, &text) }
      }
    }
    var results: [Result] = []
    var others: [Double] = []
    for _ in 0..<settings.runs {
      results.append(try runOneway(calls))
      if let program = settings.redis { others.append(try runRedis(program, pushes, .none)) }
    }
    let title = "\(count) connections × one event a call, oneway"
    var rows = rows(title, results, others, "Redis, 50 × P64, no AOF", 1)
    rows.append(
      TableRow(
        figure: title + ", processor time an event", unit: "µs", values: results.map(\.cost), goal: .atMost(0.9)))
    return rows
  }

  private func runOneway(_ feeds: [Feed]) throws -> Result {
    let daemon = try BenchmarkDaemon(in: settings.directory, configuration: "[Log]\nSync=interval\n")
    defer { daemon.stop() }
    let connections = try open(feeds, daemon.socket)
    let used = daemon.processorTime
    let start = ContinuousClock.now
    let count = feeds[0].messages.count
    for first in stride(from: 0, to: count, by: Self.callsPerSend) {
      for (feed, connection) in zip(feeds, connections) {
        try feed.messages.lend(first..<min(first + Self.callsPerSend, count)) { try connection.send($0) }
      }
    }
    // The answer to a last call comes after all of them.
    for (feed, connection) in zip(feeds, connections) {
      var last = ByteBuffer()
      settings.load.addAppend(of: count + 1...count + 1, to: feed.session, isOneway: false, &last)
      try last.withUnsafeReadableBytes { try connection.send($0) }
    }
    for connection in connections { try connection.receive() }
    let seconds = (ContinuousClock.now - start).inSeconds
    let sent = Double((count + 1) * feeds.count)
    return Result(rate: sent / seconds, cost: (daemon.processorTime - used) / sent * 1e6)
  }
}
