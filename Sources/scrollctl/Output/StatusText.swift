import ScrollAnalysis
import ScrollClient
import ScrollModel

/// A client's state as text, in the manner of systemctl status.
struct StatusText {
  /// The current time, in microseconds since the Unix epoch.
  var now: Int64
  var style = Style()
  var times = TimeText()

  func lines(_ state: StateReport, _ history: SessionHistory) -> [String] {
    let dot = state.toolbar == .shown ? style.green("●") : style.yellow("○")
    let title = history.opened?.title.map { " — \(visible($0))" } ?? ""
    var lines = ["\(dot) \(style.bold(visible(state.client)))\(title)"]
    func add(_ name: String, _ text: String) {
      lines.append(String(repeating: " ", count: 12 - name.count) + "\(name): \(text)")
    }
    add("Toolbar", toolbar(state, history))
    if let trigger = state.trigger {
      let isTurn = history.turned?.trigger == trigger
      add(
        "Trigger",
        "\(trigger.name)"
          + (isTurn ? history.turned?.reason.map { ": \(visible(NumberText.rounded(in: $0)))" } ?? "" : ""))
    }
    add("Offset", offset(state))
    if let scale = state.zoomScale { add("Zoom", NumberText.rounded(in: shortest(scale))) }
    if let index = state.pageIndex, let count = state.pageCount { add("Page", "\(index + 1) of \(count)") }
    add("Top button", state.topButton ? "shown" : "hidden")
    add("Policy", visible(state.policy))
    var users = UserNames()
    add("User", "\(users.name(of: state.user)) (\(state.user))")
    add("Session", "\(state.session)")
    if let closed = history.closed {
      add("Closed", "\(moment(closed.time.rawValue)) (\(visible(closed.reason)))")
    } else if let opened = history.opened {
      add("Open since", moment(opened.time.rawValue))
    }
    if let application = history.opened?.application { add("Application", visible(application)) }
    if let time = state.time { add("Last event", moment(time.rawValue)) }
    add("Times", "by the client's clock")
    add("Position", "\(state.position)")
    return lines
  }

  private func toolbar(_ state: StateReport, _ history: SessionHistory) -> String {
    let name = state.toolbar == .shown ? style.green("shown") : style.yellow("hidden")
    if let time = history.turned?.time?.rawValue { return "\(name) since \(moment(time))" }
    return history.isComplete ? "\(name) since the session began" : name
  }

  private func offset(_ state: StateReport) -> String {
    guard let y = state.y else { return "unknown" }
    var text =
      "x \(state.x.map { NumberText.rounded(in: shortest($0)) } ?? "unknown"), y \(NumberText.rounded(in: shortest(y)))"
    if state.reachBottom { text += ", at the bottom" }
    if state.bottomLatch { text += " (one more pull shows the toolbar)" }
    return text
  }

  private func moment(_ time: Int64) -> String {
    // With milliseconds, --at takes the time for that of the event, and not for one before it.
    "\(times.dateWithMilliseconds(time)); \(TimeText.ago(time, now: now))"
  }
}
