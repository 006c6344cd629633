import Foundation
import ScrollClient
import ScrollTesting
import Testing

@testable import scrollctl

/// The tests that run a daemon, one after the other: several at a time would wait for each other.
@Suite("With a real daemon", .serialized)
enum LiveTests {}

/// What the suites of ``LiveTests`` need.
protocol LiveSuite {}

extension LiveSuite {
  /// Runs `body` with a new daemon.
  func withDaemon(
    configuration: String = "", _ body: (DemoDaemon, String) throws -> Void
  ) throws {
    let directory = try TemporaryDirectory(prefix: "scrolld-test-")
    defer { directory.remove() }
    let interruption = Interruption()
    defer { interruption.release() }
    let file = directory.path + "/scrolld.conf"
    try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    let daemon = try DemoDaemon(
      program: DemoDaemon.program(), directory: directory.path, configuration: file, interruption)
    try body(daemon, directory.path)
    try daemon.stop()
  }

  func fixture(_ name: String) -> String {
    Fixtures.root.appendingPathComponent("recordings/\(name).ndjson").path
  }

  func lines(_ arguments: [String]) throws -> [String] {
    let captured = CapturedOutput()
    #expect(try captured.run(arguments) == .done)
    return captured.lines.map(String.init)
  }

  /// A tally without its places of flickers, which are named differently in files and in the log.
  func counted(_ lines: [String]) -> [Substring] { lines.map { $0.split(separator: "\"flickered\"")[0] } }

  /// Flips a bit of a file.
  func flip(byte offset: UInt64, of path: String) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: offset)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: [byte ^ 0x10])
    try file.close()
  }

  /// Returns all transitions of a client that a subscriber gets.
  func transitions(_ daemon: DemoDaemon, of client: String) throws -> [LiveTransition] {
    var query = SubscriptionQuery()
    query.clients = [client]
    query.after = 0
    let replies = try ServiceConnection(daemon.address).subscribe(query)
    var found: [LiveTransition] = []
    while case .element(let reply) = try replies.next(timeout: .seconds(30)) {
      if case .caughtUp = reply.content { break }
      guard case .transition(let transition) = reply.content else { continue }
      let state = transition.state
      found.append(
        LiveTransition(
          time: state.time?.rawValue, changed: transition.changed, toolbar: "\(state.toolbar.name)",
          trigger: state.trigger.map { "\($0.name)" }, y: state.y, reason: transition.reason))
    }
    return found
  }

  func expected(_ line: String) throws -> LiveTransition {
    let object = try JSONLine(line)
    return LiveTransition(
      time: object.integer("time"), changed: object.texts("changed") ?? [], toolbar: object.text("toolbar"),
      trigger: object.text("trigger"), y: object.number("y"), reason: object.text("reason"))
  }
}

/// What the daemon and fold both report of a transition.
struct LiveTransition: Equatable {
  var time: Int64?
  var changed: [String]
  var toolbar: String?
  var trigger: String?
  var y: Double?
  var reason: String?
}
