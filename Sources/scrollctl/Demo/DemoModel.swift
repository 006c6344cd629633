// What the demo knows and shows.

import ScrollClient
import ScrollModel

/// What the demo knows and shows. Times are microseconds since the recording's first event, lengths points.
struct DemoModel: Equatable {
  /// A transition that the daemon pushed.
  struct Pushed: Equatable {
    var time: Int64
    var changes: String
    var reason: String?
  }

  /// The client's name.
  var client: String
  /// How many times as fast as recorded it is played.
  var speed: Double
  /// How long the recording is.
  var duration: Int64
  /// How far it has been played.
  var elapsed: Int64 = 0
  /// How many events there are, and how many of them have been sent.
  var totalEvents: Int
  var sentEvents = 0
  /// The sizes that layouts have told so far.
  var geometry = Geometry()
  /// What the daemon reported last.
  var state: StateReport?
  var pushed: [Pushed] = []

  /// Takes over what an event that is being sent says of sizes.
  mutating func send(_ event: Event) {
    sentEvents += 1
    geometry.update(with: event)
  }

  /// Takes over what the daemon pushed.
  ///
  /// - Parameter start: The time of the recording's first event, microseconds since the Unix epoch.
  /// - Returns: The transition, if it is one.
  @discardableResult
  mutating func receive(_ reply: SubscriptionReply, start: Int64) -> Pushed? {
    switch reply.content {
    case .state(let state):
      self.state = state
      return nil
    case .transition(let transition):
      state = transition.state
      let changes = WatchedValues(transition.state).text(changed: transition.changed)
      let pushed = Pushed(
        time: (transition.state.time?.rawValue ?? start) - start, changes: changes, reason: transition.reason)
      self.pushed.append(pushed)
      return pushed
    case .opened, .closed, .caughtUp, .heartbeat: return nil
    }
  }

  /// How often the toolbar was hidden and shown again, by what was pushed.
  var flips: (hidden: Int, shown: Int) {
    (
      pushed.count { $0.changes.hasPrefix("toolbar hidden") },
      pushed.count { $0.changes.hasPrefix("toolbar shown") }
    )
  }
}
