import ScrollAnalysis
import ScrollClient
import ScrollModel

/// What the demo shows. Times are in microseconds since the recording's first event, lengths in points.
struct DemoModel: Equatable {
  /// A transition that the daemon pushed.
  struct Pushed: Equatable {
    var time: Int64
    var changes: String
    var reason: String?
  }

  /// The client's name.
  var client: String
  /// The playback speed, as a multiple of the recorded one.
  var speed: Double
  /// The length of the recording.
  var duration: Int64
  /// How much of the recording has been played.
  var elapsed: Int64 = 0
  /// The number of events, in total and sent.
  var totalEvents: Int
  var sentEvents = 0
  /// The sizes from the layout events sent so far.
  var geometry = Geometry()
  /// The last state that the daemon reported.
  var state: StateReport?
  var pushed: [Pushed] = []
  private var clock = SessionClock()

  init(client: String, speed: Double, duration: Int64, totalEvents: Int) {
    self.client = client
    self.speed = speed
    self.duration = duration
    self.totalEvents = totalEvents
  }

  /// Begins to count the times of transitions.
  ///
  /// - Parameter time: The time of the recording's first event, in microseconds since the Unix epoch.
  mutating func begin(at time: Int64) { clock.advance(to: time) }

  /// Counts an event that is being sent, and takes its sizes.
  mutating func send(_ event: Event) {
    sentEvents += 1
    geometry.update(with: event)
  }

  /// Takes a reply of the subscription.
  ///
  /// - Returns: The transition, if it is one.
  @discardableResult
  mutating func receive(_ reply: SubscriptionReply) -> Pushed? {
    switch reply.content {
    case .state(let state):
      self.state = state
      return nil
    case .transition(let transition):
      state = transition.state
      let changes = WatchedValues(transition.state).text(changed: transition.changed)
      let time = transition.state.time.map { clock.advance(to: $0.rawValue) } ?? clock.elapsed
      let pushed = Pushed(time: time, changes: changes, reason: transition.reason)
      self.pushed.append(pushed)
      return pushed
    case .opened, .closed, .caughtUp, .heartbeat: return nil
    }
  }

  /// How often the pushed transitions hid the toolbar and showed it again.
  var flips: (hidden: Int, shown: Int) {
    (
      pushed.count { $0.changes.hasPrefix("toolbar hidden") },
      pushed.count { $0.changes.hasPrefix("toolbar shown") }
    )
  }
}
