import Platform
import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Replies of a subscription as lines of text.
struct SubscriptionText {
  var style = Style()
  var times = TimeText()
  /// The current time. A time of another day has its date.
  var now: () -> Int64 = { Clock.wallMicroseconds() }

  /// Returns the line of a reply; `nil` for a reply without a line.
  func line(_ reply: SubscriptionReply) -> String? {
    switch reply.content {
    case .opened(let opened):
      let title = opened.title.map { " “\(visible($0))”" } ?? ""
      let application = opened.application.map { " by \(visible($0))" } ?? ""
      return line(opened.time, opened.client, "opened\(title)\(application), policy \(visible(opened.policy))")
    case .closed(let closed):
      // A session that was forgotten while nobody watched has no client any more.
      let name = closed.client.isEmpty ? "\(closed.session)" : closed.client
      return line(closed.time, name, "closed (\(visible(closed.reason)))")
    case .state(let state):
      return line(state.time, state.client, self.state(state))
    case .transition(let transition):
      let changes = WatchedValues(transition.state).text(changed: transition.changed, style: style)
      let reason = transition.reason.map { style.dim("  — \(visible(NumberText.rounded(in: $0)))") } ?? ""
      return line(transition.state.time, transition.state.client, changes + reason)
    case .caughtUp, .heartbeat: return nil
    }
  }

  private func line(_ time: UnixMicroseconds?, _ client: String, _ text: String) -> String {
    let clock = time.map { times.clock($0.rawValue, today: now()) } ?? String(repeating: " ", count: 12)
    return "\(clock)  \(style.bold(visible(client)))  \(text)"
  }

  private func state(_ state: StateReport) -> String {
    let values = WatchedValues(state)
    var names = ["toolbar"]
    if state.trigger != nil { names.append("trigger") }
    var text = "is: " + values.text(changed: names, style: style)
    if let y = state.y { text += ", y \(NumberText.rounded(in: shortest(y)))" }
    if state.reachBottom { text += ", at the bottom" }
    if let index = state.pageIndex, let count = state.pageCount, count > 1 {
      text += ", page \(index + 1) of \(count)"
    }
    return text
  }
}
