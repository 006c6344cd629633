// How fast the daemon takes events over its socket.

import Glibc
import ScrollJSON
import ScrollModel
import ScrollService
import Varlink

/// How fast the daemon takes events over its socket: several feeders append, and every call is answered.
struct IngestBenchmark {
  private let feeders: Int
  private let eventsPerCall: Int
  private let window: Int
  private let seconds: Int
  private let sync: String
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
    directory = arguments.text("--state-directory") ?? "/var/tmp"
    try arguments.finish()
  }

  /// One connection that appends to a session of its own.
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

    /// Waits for the next answer; an error in it is thrown.
    func receive() throws {
      let isAnswered: Bool? = try socket.nextReply(timeout: .seconds(30)) { reply in
        _ = try reply.parameters()
        return true
      }
      if isAnswered == nil { throw SystemError("wait for", "an answer", code: ETIMEDOUT) }
    }
  }

  func run() throws {
    let daemon = try BenchmarkDaemon(in: directory, configuration: "[Log]\nSync=\(sync)\n")
    defer { daemon.stop() }
    // The calls' events are encoded once: what is measured is the daemon, not the feeders.
    let chunks = stride(from: 0, to: 64 * eventsPerCall, by: eventsPerCall).map { start in
      let all = SampleSession.events(64 * eventsPerCall)
      return JSONWriter.encode { Array(all[start..<(start + eventsPerCall)]).write(to: &$0) }
    }
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
    let elapsed = (ContinuousClock.now - start).inSeconds
    let spent = daemon.processorTime - used
    let events = calls * eventsPerCall
    let bytes = chunks.map(\.count).reduce(0, +) / (chunks.count * eventsPerCall)
    print("ingest: \(Int(Double(events) / elapsed)) events/s")
    print(
      """
        \(feeders.count) feeders, \(eventsPerCall) events a call, \(window) calls under way each, Sync=\(sync), \
      \(bytes) bytes of JSON an event
        \(events) events in \(calls) answered calls in \(hundredths(elapsed)) s; \
      the daemon used \(hundredths(spent)) s of processor time, \(hundredths(spent / Double(events) * 1e6)) µs an event
      """)
  }

  private func hundredths(_ value: Double) -> String {
    shortest((value * 100).rounded() / 100)
  }
}
