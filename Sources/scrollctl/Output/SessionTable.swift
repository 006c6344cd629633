import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Sessions as a table.
struct SessionTable {
  /// The most columns of a text.
  private static let textColumns = 28

  var style = Style()
  var times = TimeText()

  func lines(_ sessions: [SessionSummary]) -> [String] {
    var table = TextTable([
      .init(heading: "OPENED"), .init(heading: "CLIENT"), .init(heading: "USER"), .init(heading: "APPLICATION"),
      .init(heading: "TITLE"), .init(heading: "DURATION", isRightAligned: true),
      .init(heading: "EVENTS", isRightAligned: true), .init(heading: "REACH", isRightAligned: true),
      .init(heading: "FLIPS", isRightAligned: true), .init(heading: "FLICKERS", isRightAligned: true),
      .init(heading: "POLICY"), .init(heading: "SESSION"),
    ])
    for session in sessions {
      table.add([
        times.date(session.opened.rawValue), visible(session.client), UserName.of(session.user),
        text(session.application), text(session.title), duration(session), "\(session.events)",
        session.reach.map { Reading.Measure.reach.text($0) } ?? "-", session.flips.map { "\($0)" } ?? "-",
        session.flickers.map { "\($0)" } ?? "-", visible(session.policy),
        "\(session.session)" + (session.isWhole ? "" : "*"),
      ])
    }
    return table.lines(style)
  }

  private func text(_ text: String?) -> String {
    text.map { fitted(visible($0), columns: Self.textColumns) } ?? "-"
  }

  private func duration(_ session: SessionSummary) -> String {
    guard let duration = session.duration else { return "-" }
    return NumberText.seconds(duration) + (session.closed == nil ? "+" : "")
  }
}
