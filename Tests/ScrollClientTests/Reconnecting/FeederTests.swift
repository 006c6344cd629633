import JSON
import ScrollClientTesting
import ScrollModel
import Testing
import Varlink

@testable import ScrollClient

@Suite("Feeder and watcher")
struct FeederTests {
  private func scroll(_ time: Int64) -> Event {
    var event = Event(.scroll, time: time)
    event.x = 0
    event.y = 0
    return event
  }

  private func options(capacity: Int = 8192) -> Feed.Options {
    var options = Feed.Options(client: "c")
    options.capacity = capacity
    options.backoff = Backoff(first: .milliseconds(1), cap: .milliseconds(2))
    return options
  }

  @Test("A feeder gets all events answered and closes, though the daemon hangs up now and then")
  func feeder() throws {
    // The daemon hangs up on every third call.
    let daemon = try FakeDaemon { call, count, _ in
      if count % 3 == 1 { return .hangUp }
      var parameters = call.parameters()
      switch call.method.string {
      case "org.scrolld.Recorder.Open":
        let session = (try? parameters.string("session")) ?? ""
        return .reply(#"{"session":"\#(session)","nextNumber":1,"generation":1}"#)
      case "org.scrolld.Recorder.Append":
        let number = (try? parameters.int("number")) ?? 0
        let events = (try? parameters.array("events").count) ?? 0
        return .reply(
          #"{"position":9,"nextNumber":\#(number + Int64(events)),"durable":true,"generation":1}"#)
      default: return .reply("{}")
      }
    }
    var awayCount = 0
    let feeder = Feeder(options(), at: daemon.address) { if case .away = $0 { awayCount += 1 } }
    try feeder.append((1...10).map(scroll))
    #expect(feeder.flush(timeout: .seconds(20)))
    #expect(feeder.unansweredCount == 0)
    try feeder.close(timeout: .seconds(20))
    #expect(awayCount > 0)
    #expect(daemon.received.contains { $0.method == "Close" })
  }

  @Test("Without a daemon, a feeder accepts events up to its capacity, and then fails after the timeout")
  func noDaemon() throws {
    var update: [FeedUpdate] = []
    let nowhere = ServiceAddress("/nonexistent/socket")
    let feeder = Feeder(options(capacity: 3), at: nowhere) { update.append($0) }
    try feeder.append([scroll(1), scroll(2)], timeout: .zero)
    #expect(throws: FeederError.full(capacity: 3)) {
      try feeder.append([scroll(3), scroll(4)], timeout: .milliseconds(5))
    }
    #expect(throws: FeederError.full(capacity: 3)) {
      try feeder.append((1...4).map(scroll), timeout: nil)
    }
    try feeder.append([scroll(3)], timeout: .zero)
    #expect(feeder.unansweredCount == 3)
    #expect(!feeder.flush(timeout: .milliseconds(5)))
    #expect(update == [.away(.cannotConnect(nowhere, code: 2))])
    // Closing does not pretend that they have arrived.
    #expect(throws: FeederError.notDelivered(count: feeder.unansweredCount)) { try feeder.close(timeout: .zero) }
  }

  @Test("A watcher resumes where it was when its daemon goes away")
  func watcher() throws {
    let daemon = try FakeDaemon { _, count, connection in
      count == 0
        ? .stream([#"{"position":4,"caughtUp":true,"generation":7}"#], ends: true)
        : .stream([#"{"position":6}"#, #"{"position":8}"#], ends: false)
    }
    let watcher = Watcher(
      SubscriptionQuery(), at: daemon.address, backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(2)))
    var positions: [Position] = []
    while positions.count < 3 {
      guard case .element(let update) = watcher.next(timeout: .seconds(20)) else { break }
      if case .reply(let reply) = update { positions.append(reply.position) }
    }
    #expect(positions == [4, 6, 8])
    #expect(watcher.position == 8 && watcher.generation == 7)
    #expect(watcher.next(timeout: .zero) == .timedOut)
    #expect(daemon.received.map(\.parameters) == ["{}", #"{"after":4,"generation":7}"#])
  }
}
