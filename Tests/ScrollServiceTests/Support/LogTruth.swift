import JSON
import ScrollJSON
import ScrollModel
import Testing

@testable import ScrollLog
@testable import ScrollService

/// The expected content of a log, folded from its first record in the simplest way: what every subscriber must get, and the
/// state of every session.
struct LogTruth {
  private struct Open {
    var opening: Opening
    var state = FoldState()
    var nextNumber: Int64 = 1
    var lastPosition: Position
  }

  /// Every opening, transition and closing, in order, each as a reply of `Subscribe`.
  private(set) var messages: [JSONTree] = []
  /// The state of each open session by its id, as `List` returns it.
  private(set) var states: [String: JSONTree] = [:]
  /// The last state of each session that was closed.
  private(set) var lastStates: [String: JSONTree] = [:]
  /// The position of each event by its session and number.
  private(set) var positions: [String: [Int64: Position]] = [:]
  private var sessions: [SessionID: Open] = [:]

  /// Folds a daemon's log up to the horizon.
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
      var fields = identity(id, opening)
      fields["time"] = .int(opening.time)
      fields["application"] = opening.application.map { .string($0) } ?? .null
      fields["title"] = opening.title.map { .string($0) } ?? .null
      fields["policy"] = .string(opening.policy.name)
      messages.append(["position": position, "opened": fields])
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
      var fields = identity(id, session.opening)
      fields["time"] = .int(closing.time)
      fields["reason"] = .string("\(closing.reason.name)")
      messages.append(["position": position, "closed": fields])
    case .request, .response:
      #expect(sessions[id] != nil, "a request or a response of a session that is not open")
    }
  }

  private func identity(_ id: SessionID, _ opening: Opening) -> JSONTree {
    [
      "client": .string(opening.client.name.text), "user": .int(Int64(opening.client.user)),
      "session": .string("\(id)"),
    ]
  }

  private func stateIdentity(_ id: SessionID, _ session: Open) -> StateIdentity {
    StateIdentity(
      client: session.opening.client.name.text, user: session.opening.client.user, session: id,
      position: session.lastPosition, policy: session.opening.policy.name)
  }

  private func state(of id: SessionID, _ session: Open) throws -> JSONTree {
    let identity = stateIdentity(id, session)
    let text = JSONWriter.encode { session.state.write(to: &$0, as: identity) }
    return try JSONParser().parse(text) { JSONTree($0) }
  }

  /// The messages after a position that a subscriber must get about the sessions that it watches.
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
  /// Whether the message reports an opening, a transition or a closing.
  var reportsAChange: Bool { ["opened", "transition", "closed"].contains { self[$0] != .null } }
}
