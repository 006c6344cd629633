import JSON
import ScrollModel
import Testing
import Varlink

@testable import ScrollClient

/// A daemon without sockets, which stores events by their numbers and sends the transitions after a position. A test can cut
/// its connections at any byte; the store persists.
final class MemoryDaemon {
  struct StoredSession {
    var times: [Int64] = []
    var isClosed = false
  }

  private(set) var sessions: [String: StoredSession] = [:]
  private(set) var order: [String] = []
  /// The number of transitions, at positions 1, 2, 3 …
  var transitions = 0
  var generation: Int64 = 1
  /// Errors for the next calls of a method, each used once.
  var refusals: [(method: String, error: VarlinkError)] = []
  /// How many calls of the methods in ``refusals`` are answered before.
  var answersBeforeRefusals = 0
  /// The called methods without their interface.
  private(set) var called: [String] = []
  /// The position and the generation of the last `Subscribe`.
  private(set) var lastSubscribed: (after: Int64?, generation: Int64?)

  /// The times of all stored events, in the order of the sessions.
  var storedTimes: [Int64] { order.flatMap { sessions[$0]?.times ?? [] } }

  /// Closes every session, as if idle.
  func closeSessions() {
    for id in order { sessions[id]?.isClosed = true }
  }

  /// Drops the last events of the newest session, as a crash with `Sync=never` does.
  func takeBack(_ count: Int) {
    guard let last = order.last else { return }
    sessions[last]?.times.removeLast(count)
  }

  // MARK: Conversations

  /// Exchanges messages with a client's connection until both sides are idle.
  ///
  /// - Parameters:
  ///   - callBytes: The connection breaks after this many bytes of calls.
  ///   - answerBytes: The connection breaks after this many bytes of answers.
  ///   - answersTaken: The connection breaks after this many answers, while the daemon has handled all calls.
  ///   - received: Called when answers have come. Returns whether the client still uses the connection.
  /// - Returns: Whether the connection broke.
  func converse(
    _ client: ClientConnection, callBytes: Int = .max, answerBytes: Int = .max, answersTaken: Int = .max,
    _ received: () -> Bool
  ) -> Bool {
    let server = ServerConnection()
    let parser = JSONParser()
    var (callBytes, answerBytes, answersLeft) = (callBytes, answerBytes, answersTaken)
    while true {
      callBytes -= client.withUnsafeOutput { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(callBytes))
        server.receive(piece)
        return piece.count
      }
      client.consumeOutput(client.outputCount)
      while server.nextCall(using: parser, { call throws(VarlinkError) in try answer(call, server) }) {}
      if answersLeft == 0 { return true }
      let answered = server.outputCount
      answerBytes -= server.withUnsafeOutput { bytes in
        var end = 0
        while end < bytes.count, answersLeft > 0, let zero = bytes[end...].firstIndex(of: 0) {
          end = zero + 1
          answersLeft -= 1
        }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<end].prefix(answerBytes))
        client.receive(piece)
        return piece.count
      }
      server.consumeOutput(answered)
      guard received() else { return false }
      if callBytes == 0 || answerBytes == 0 { return true }
      if client.outputCount == 0 { return answersLeft == 0 }
    }
  }

  private func answer(_ call: Call, _ server: ServerConnection) throws(VarlinkError) -> NextCall {
    let method = String(call.method.string.split(separator: ".").last ?? "")
    called.append(method)
    if let index = refusals.firstIndex(where: { $0.method == method }) {
      if answersBeforeRefusals == 0 { throw refusals.remove(at: index).error }
      answersBeforeRefusals -= 1
    }
    var parameters = call.parameters()
    switch method {
    case "Open": try open(&parameters, call, server)
    case "Append": try append(&parameters, call, server)
    case "Close":
      let id = try parameters.string("session")
      try check(id)
      sessions[id]?.isClosed = true
      server.reply(call.token)
    case "Subscribe":
      try subscribe(&parameters, call, server)
      return .waits
    default: throw .methodNotFound(method)
    }
    return .mayFollow
  }

  private func check(_ id: String) throws(VarlinkError) {
    guard let session = sessions[id] else { throw VarlinkError("org.scrolld.Recorder.NoSuchSession") }
    if session.isClosed { throw VarlinkError("org.scrolld.Recorder.SessionClosed") }
  }

  private func open(
    _ parameters: inout ParameterReader, _ call: Call, _ server: ServerConnection
  ) throws(VarlinkError) {
    let id = try parameters.string("session")
    if sessions[id] == nil {
      sessions[id] = StoredSession()
      order.append(id)
    }
    try check(id)
    server.reply(call.token) {
      $0.member("session", id)
      $0.member("nextNumber", (sessions[id]?.times.count ?? 0) + 1)
      $0.member("generation", generation)
    }
  }

  private func append(
    _ parameters: inout ParameterReader, _ call: Call, _ server: ServerConnection
  ) throws(VarlinkError) {
    let id = try parameters.string("session")
    let number = try parameters.int("number")
    let events = try parameters.array("events")
    try check(id)
    var stored = sessions[id]?.times ?? []
    let next = Int64(stored.count) + 1
    if number > next { throw VarlinkError("org.scrolld.Recorder.NumberGap") { $0.member("expected", next) } }
    for (index, event) in events.enumerated() where number + Int64(index) >= next {
      stored.append(event.asObject?["time"]?.asInt64 ?? -1)
    }
    sessions[id]?.times = stored
    let nextNumber = number + Int64(events.count)
    server.reply(call.token) {
      $0.member("position", nextNumber)
      $0.member("nextNumber", nextNumber)
      $0.member("durable", true)
      $0.member("generation", generation)
    }
  }

  private func subscribe(
    _ parameters: inout ParameterReader, _ call: Call, _ server: ServerConnection
  ) throws(VarlinkError) {
    let after = try parameters.optionalInt("after")
    let seen = try parameters.optionalInt("generation")
    lastSubscribed = (after, seen)
    if let after, let seen, seen != generation, after > 0 {
      throw VarlinkError("org.scrolld.Observer.PositionTakenBack") { $0.member("last", 0) }
    }
    for position in Int(after ?? Int64(transitions))..<transitions {
      server.reply(call.token, continues: true) { writer in
        writer.member("position", position + 1)
        writer.key("transition")
        writer.raw(Array(Self.transition(at: position + 1).utf8))
      }
    }
    server.reply(call.token, continues: true) {
      $0.member("position", transitions)
      $0.member("caughtUp", true)
      $0.member("generation", generation)
    }
  }

  private static func transition(at position: Int) -> String {
    #"{"client":"c","user":0,"session":"\#(RecorderTests.session)","position":\#(position),"time":1,"#
      + #""toolbar":"shown","reachBottom":false,"bottomLatch":false,"topButton":false,"policy":"safari","#
      + #""changed":["toolbar"]}"#
  }
}
