import JSON
import Platform
import ScrollModel

/// What a large log costs: reading it with `scrollctl`, asking for states, and starting after a crash.
struct LogFigures {
  let settings: TableSettings
  /// How many times smaller the logs are than the goals ask.
  let divisor: Int

  /// The connection that fills a log, with as many events a call as are allowed.
  private struct Filler {
    private static let batch = 4096
    let connection: RawConnection
    let load: Load

    init(_ socket: String, load: Load) throws {
      connection = try RawConnection(socket, terminator: 0)
      self.load = load
    }

    func open(client: String, session: String) throws {
      let call =
        #"{"method":"org.scrolld.Recorder.Open","parameters":{"client":"\#(client)","session":"\#(session)"}}"#
      try (Array(call.utf8) + [0]).withUnsafeBytes { try connection.send($0) }
      try connection.receive()
    }

    func fill(_ session: String, events: Int) throws {
      var number = 1
      while number <= events {
        let last = min(number + Self.batch - 1, events)
        var call = ByteBuffer()
        load.addAppend(of: number...last, to: session, isOneway: false, &call)
        try call.withUnsafeReadableBytes { try connection.send($0) }
        // One call stays under way while the next one is made.
        if number > 1 { try connection.receive() }
        number = last + 1
      }
      try connection.receive()
    }
  }

  private func daemon() throws -> BenchmarkDaemon {
    try BenchmarkDaemon(in: settings.directory, configuration: "[Log]\nSync=interval\n")
  }

  private func title(_ count: Int) -> String {
    let thousands = count / 1000
    return thousands % 1000 == 0 ? "\(thousands / 1000) million" : "\(thousands) thousand"
  }

  /// Runs `scrollctl`, its output to the null device.
  ///
  /// - Returns: The seconds that it took.
  private func scrollctl(_ arguments: [String], _ daemon: BenchmarkDaemon) throws -> Double {
    let program = try BenchmarkDaemon.directoryOfThisProgram() + "/scrollctl"
    let start = ContinuousClock.now
    let process = try SystemError.wrapping("start", program) { () throws(Errno) in
      try ChildProcess(starting: program, arguments: ["--socket", daemon.socket] + arguments)
    }
    let end = try SystemError.wrapping("wait for", program) { () throws(Errno) in try process.wait() }
    guard end == .status(0) else {
      throw Arguments.Problem("scrollctl \(arguments.joined(separator: " ")) ended with \(end)")
    }
    return (ContinuousClock.now - start).inSeconds
  }

  /// Measures reading and asking.
  func reading() throws -> [TableRow] {
    let events = 3_000_000 / divisor
    let client = "scrollbench"
    let session = "0123456789abcdef0123456789abcdef"
    let daemon = try daemon()
    defer { daemon.stop() }
    let filler = try Filler(daemon.socket, load: settings.load)
    try filler.open(client: client, session: session)
    try filler.fill(session, events: events)
    var rows: [TableRow] = []
    for arguments in [["--json", "log", client], ["export", session]] {
      let rates = try (0..<settings.runs).map { _ in Double(events) / (try scrollctl(arguments, daemon)) / 1000 }
      rows.append(
        TableRow(
          figure: arguments[0] == "export" ? "export" : "log --json", unit: "1000/s", values: rates,
          goal: .atLeast(1000)))
    }
    for arguments in [["status", client], ["explain", client], ["list"]] {
      let times = try (0..<settings.runs).map { _ in try scrollctl(arguments, daemon) * 1000 }
      rows.append(
        TableRow(
          figure: "\(arguments[0]), a session of \(title(events)) events", unit: "ms", values: times,
          goal: .atMost(20)))
    }
    return rows
  }

  /// Measures starts after SIGKILL and after a clean stop.
  func starting() throws -> [TableRow] {
    let events = 12_000_000 / divisor
    let daemon = try daemon()
    defer { daemon.stop() }
    let filler = try Filler(daemon.socket, load: settings.load)
    let sessions = 12
    for index in 1...sessions {
      let session = String(repeating: "0", count: 30) + (index < 10 ? "0" : "") + String(index)
      try filler.open(client: "scrollbench/\(index)", session: session)
      try filler.fill(session, events: events / sessions)
    }
    // Packing takes a while, and a log that is measured before its end has any size.
    try daemon.waitUntilPacked()
    let size = try daemon.logSize
    let killed = try (0..<settings.runs).map { _ in try daemon.restart(with: .kill) * 1000 }
    let stopped = try (0..<settings.runs).map { _ in try daemon.restart(with: .terminate) * 1000 }
    return [
      TableRow(
        figure: "start after SIGKILL, \(title(events)) events", unit: "ms", values: killed, goal: .atMost(100)),
      TableRow(figure: "start after a clean stop, \(title(events)) events", unit: "ms", values: stopped),
      TableRow(
        figure: "log of \(title(events)) events, all but its last segment packed", unit: "bytes an event",
        values: [Double(size) / Double(events)], goal: .atMost(4.7)),
    ]
  }

  /// Measures an empty log's start, and what many open sessions take.
  func sessions() throws -> [TableRow] {
    let daemon = try daemon()
    defer { daemon.stop() }
    let starts = try (0..<settings.runs).map { _ in try daemon.restart(with: .terminate) * 1000 }
    let filler = try Filler(daemon.socket, load: settings.load)
    let count = 10_000 / divisor
    let first = "1" + String(repeating: "0", count: 31)
    try filler.open(client: "scrollbench/first", session: first)
    let alone = try cost(of: first, from: 1, filler, daemon)
    for index in 1..<count {
      let digits = String(index)
      try filler.open(
        client: "scrollbench/\(index)", session: String(repeating: "0", count: 32 - digits.count) + digits)
    }
    let memory = Double(try daemon.memory) / 1e6
    let among = try cost(of: first, from: Self.sample + 1, filler, daemon)
    return [
      TableRow(figure: "start with an empty log", unit: "ms", values: starts),
      TableRow(figure: "memory with \(count) open sessions", unit: "MB", values: [memory], goal: .atMost(42)),
      TableRow(
        figure: "answered, interval, among \(count) sessions", unit: "µs", values: among,
        other: ("alone", alone)),
    ]
  }

  private static let sample = 5000

  private func cost(of session: String, from number: Int, _ filler: Filler, _ daemon: BenchmarkDaemon) throws
    -> [Double]
  {
    var times: [Double] = []
    for index in number..<number + Self.sample {
      var call = ByteBuffer()
      settings.load.addAppend(of: index...index, to: session, isOneway: false, &call)
      let start = ContinuousClock.now
      try call.withUnsafeReadableBytes { try filler.connection.send($0) }
      try filler.connection.receive()
      times.append((ContinuousClock.now - start).inSeconds * 1e6)
    }
    return [median(times)]
  }
}
