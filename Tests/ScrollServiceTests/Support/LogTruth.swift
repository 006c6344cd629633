// What subscribers must get, folded from the log by a fold of the tests' own.

import JSON
import ScrollJSON
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

/// All that a log tells, folded from its first record in the plainest way: what every subscriber must get, and how
/// every session stands.
struct LogTruth {
  private struct Open {
    var opening: Opening
    var state = FoldState()
    var nextNumber: Int64 = 1
    var lastPosition: Position
  }

  /// Every opening, transition and closing, in order, each as the reply of `Subscribe` that tells it.
  private(set) var messages: [JSONTree] = []
  /// The state of each open session by its id, as `List` gives it.
  private(set) var states: [String: JSONTree] = [:]
  /// The last state of each session that was closed.
  private(set) var lastStates: [String: JSONTree] = [:]
  /// The position of each event by its session and number.
  private(set) var positions: [String: [Int64: Position]] = [:]
  private var sessions: [SessionID: Open] = [:]

  /// Folds a daemon's log up to the position that its readers see.
  init(_ daemon: TestDaemon) throws {
    let last = daemon.service.lastPosition
    var reader = LogReader(daemon.log.segments.view, after: 0)
    var expected: Position = 1
    while expected <= last {
      guard case .block(let block) = try reader.next(through: last) else { continue }
      var records = block.records()
      while let stored = try records.next() {
        #expect(stored.position == expected, "positions have a gap")
        expected += 1
        try fold(stored)
      }
    }
    for (id, session) in sessions { states["\(id)"] = try state(of: id, session) }
  }

  private mutating func fold(_ stored: StoredRecord) throws {
    let id = stored.session
    let position = JSONTree.int(stored.position)
    switch stored.record {
    case .open(let opening):
      #expect(sessions[id] == nil && lastStates["\(id)"] == nil, "a session is opened twice")
      #expect(!sessions.values.contains { $0.opening.client == opening.client }, "a client has two open sessions")
      sessions[id] = Open(opening: opening, lastPosition: stored.position)
      var told = identity(id, opening)
      told["time"] = .int(opening.time)
      told["application"] = opening.application.map { .string($0) } ?? .null
      told["title"] = opening.title.map { .string($0) } ?? .null
      told["policy"] = .string(opening.policy.name)
      messages.append(["position": position, "opened": told])
    case .event(let event, let number):
      guard var session = sessions[id] else {
        Issue.record("an event of a session that is not open")
        return
      }
      #expect(session.nextNumber == number, "numbers have a gap")
      session.nextNumber = number + 1
      session.lastPosition = stored.position
      positions["\(id)", default: [:]][number] = stored.position
      let step = session.opening.policy.step(&session.state, event)
      if !step.changed.isEmpty {
        let identity = stateIdentity(id, session)
        let text = JSONWriter.encode { session.state.writeTransition(to: &$0, as: identity, step) }
        messages.append(["position": position, "transition": try JSONParser().parse(text) { JSONTree($0) }])
      }
      sessions[id] = session
    case .close(let closing):
      guard let session = sessions.removeValue(forKey: id) else {
        Issue.record("a closing of a session that is not open")
        return
      }
      lastStates["\(id)"] = try state(of: id, session)
      var told = identity(id, session.opening)
      told["time"] = .int(closing.time)
      told["reason"] = .string("\(closing.reason.name)")
      messages.append(["position": position, "closed": told])
    case .request, .response:
      #expect(sessions[id] != nil, "a request or a response of a session that is not open")
    }
  }

  private func identity(_ id: SessionID, _ opening: Opening) -> JSONTree {
    ["client": .string(opening.client.name), "user": .int(Int64(opening.client.user)), "session": .string("\(id)")]
  }

  private func stateIdentity(_ id: SessionID, _ session: Open) -> StateIdentity {
    StateIdentity(
      client: session.opening.client.name, user: session.opening.client.user, session: id,
      position: session.lastPosition, policy: session.opening.policy.name)
  }

  private func state(of id: SessionID, _ session: Open) throws -> JSONTree {
    let identity = stateIdentity(id, session)
    let text = JSONWriter.encode { session.state.write(to: &$0, as: identity) }
    return try JSONParser().parse(text) { JSONTree($0) }
  }

  /// What a subscriber must get past a position of the sessions that it watches.
  func messages(after position: Position, where watches: (_ client: String, _ user: Int64) -> Bool = { _, _ in true })
    -> [JSONTree]
  {
    messages.filter { message in
      let session = message.members.first { $0.key != "position" }?.value ?? .null
      return (message["position"].int ?? 0) > position
        && watches(session["client"].string ?? "", session["user"].int ?? -1)
    }
  }
}

extension JSONTree {
  /// Whether it is a subscriber's message that tells of something that happened: an opening, a transition, a closing.
  var tellsOfSomething: Bool { ["opened", "transition", "closed"].contains { self[$0] != .null } }
}
