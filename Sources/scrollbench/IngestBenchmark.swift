import JSON
import Platform
import ScrollJSON
import ScrollModel
import Varlink

/// Measures how fast the daemon appends events over its socket from several feeders.
struct IngestBenchmark {
  private let feeders: Int
  private let eventsPerCall: Int
  private let window: Int
  private let seconds: Int
  private let sync: String
  /// The values of `Compress=`, measured in turn.
  private let compress: [String]
  private let rounds: Int
  /// In MiB.
  private let segmentSize: Int
  private let directory: String

  init(_ arguments: Arguments) throws {
    var arguments = arguments
    feeders = try arguments.number("--feeders", default: 4, in: 1...1000)
    eventsPerCall = try arguments.number("--events", default: 64, in: 1...4096)
    window = try arguments.number("--window", default: 8, in: 1...1000)
    seconds = try arguments.number("--seconds", default: 5, in: 1...600)
    sync = arguments.text("--sync") ?? "commit"
    guard ["commit", "interval", "never"].contains(sync) else {
      throw Arguments.Problem("--sync is “\(sync)”: it must be commit, interval or never")
    }
    let compress = arguments.text("--compress") ?? "yes"
    guard ["yes", "no", "both"].contains(compress) else {
      throw Arguments.Problem("--compress is “\(compress)”: it must be yes, no or both")
    }
    self.compress = compress == "both" ? ["yes", "no"] : [compress]
    rounds = try arguments.number("--rounds", default: 1, in: 1...1000)
    segmentSize = try arguments.number("--segment-size", default: 64, in: 1...1024)
    directory = arguments.text("--state-directory") ?? "/var/tmp"
    try arguments.finish()
  }

  /// A connection that appends to its own session.
  private final class Feeder {
    let socket: ClientSocket
    let session: String
    var nextNumber: Int64 = 1

    init(_ path: String, index: Int) throws {
      socket = try ClientSocket(.path(path))
      session = try socket.call("org.scrolld.Recorder.Open") {
        $0.member("client", "scrollbench/\(index)")
      } reply: { parameters in
        try parameters.string("session")
      }
    }

    func send(_ events: [UInt8], count: Int) throws {
      try socket.send("org.scrolld.Recorder.Append") {
        $0.member("session", session)
        $0.member("number", nextNumber)
        $0.key("events")
        $0.raw(events)
      }
      nextNumber += Int64(count)
    }

    /// Waits for the next answer, and throws the error in it.
    func receive() throws {
      let isAnswered: Bool? = try socket.nextReply(timeout: .seconds(30)) { reply in
        _ = try reply.parameters()
        return true
      }
      if isAnswered == nil { throw SystemError("wait for", "an answer", .timedOut) }
    }
  }

  func run() throws {
    // Encode the events once, to measure the daemon and not the feeders.
    let all = SampleSession.events(64 * eventsPerCall)
    let chunks = stride(from: 0, to: all.count, by: eventsPerCall).map { start in
      JSONWriter.encode { Array(all[start..<(start + eventsPerCall)]).write(to: &$0) }
    }
    let bytes = chunks.map(\.count).reduce(0, +) / all.count
    print(
      """
      ingest: \(feeders) feeders, \(eventsPerCall) events per call, \(window) pipelined calls each, Sync=\(sync), \
      \(bytes) bytes of JSON per event
      """)
    var results: [String: [IngestResult]] = [:]
    for round in 0..<rounds {
      // They take turns in going first, so that unfinished disk writes of one affect both alike.
      for value in round % 2 == 0 ? compress : compress.reversed() {
        let result = try measure(chunks, compress: value)
        print("  Compress=\(value): \(result)")
        results[value, default: []].append(result)
      }
    }
    if let packed = results["yes"], let plain = results["no"] {
      print("  Compress=yes to no: \(IngestResult.comparison(of: packed, to: plain))")
    }
  }

  /// Measures a new daemon.
  ///
  /// - Parameter chunks: The events of each call, as JSON.
  private func measure(_ chunks: [[UInt8]], compress: String) throws -> IngestResult {
    let configuration = "[Log]\nSync=\(sync)\nCompress=\(compress)\nSegmentSize=\(segmentSize)M\n"
    let daemon = try BenchmarkDaemon(in: directory, configuration: configuration)
    defer { daemon.stop() }
    let feeders = try (0..<feeders).map { try Feeder(daemon.socket, index: $0) }
    let used = daemon.processorTime
    let start = ContinuousClock.now
    var calls = 0
    var turn = 0
    for _ in 0..<window {
      for feeder in feeders { try feeder.send(chunks[turn % chunks.count], count: eventsPerCall) }
      turn += 1
    }
    while ContinuousClock.now - start < .seconds(seconds) {
      for feeder in feeders {
        try feeder.receive()
        calls += 1
        try feeder.send(chunks[turn % chunks.count], count: eventsPerCall)
      }
      turn += 1
    }
    for _ in 0..<window {
      for feeder in feeders {
        try feeder.receive()
        calls += 1
      }
    }
    let seconds = (ContinuousClock.now - start).inSeconds
    return IngestResult(
      events: calls * eventsPerCall, calls: calls, seconds: seconds, processorSeconds: daemon.processorTime - used,
      segmentsBegun: try daemon.metric("segments_begun"), segmentsPacked: try daemon.metric("segments_packed"))
  }
}
