import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Sessions as a table.
struct SessionTable {
  /// The most columns of a text.
  private static let textColumns = 28

  var style = Style()
  var times = TimeText()

  /// The table, without the columns for which the terminal has no room.
  func layout(_ sessions: some Collection<SessionSummary>) -> TextTable.Layout {
    var table = TextTable(
      [
        .init(heading: "OPENED"), .init(heading: "CLIENT", leastWidth: 16), .init(heading: "USER", dropOrder: 1),
        .init(heading: "APPLICATION", leastWidth: 8, dropOrder: 2),
        .init(heading: "TITLE", leastWidth: 14, dropOrder: 8), .init(heading: "DURATION", isRightAligned: true),
        .init(heading: "EVENTS", isRightAligned: true, dropOrder: 5),
        .init(heading: "REACH", isRightAligned: true, dropOrder: 6), .init(heading: "FLIPS", isRightAligned: true),
        .init(heading: "FLICKERS", isRightAligned: true, dropOrder: 7), .init(heading: "POLICY", dropOrder: 4),
        .init(heading: "SESSION", dropOrder: 3),
      ], rows: sessions.count)
    var users = UserNames()
    for session in sessions {
      table.add([
        times.date(session.opened.rawValue), visible(session.client), users.name(of: session.user),
        text(session.application), text(session.title), duration(session), "\(session.events)",
        session.reach.map { Reading.Measure.reach.text($0) } ?? "-", session.flips.map { "\($0)" } ?? "-",
        session.flickers.map { "\($0)" } ?? "-", visible(session.policy),
        "\(session.session)" + (session.isWhole ? "" : "*"),
      ])
    }
    return table.layout(style)
  }

  private func text(_ text: String?) -> String {
    text.map { fitted(visible($0), columns: Self.textColumns) } ?? "-"
  }

  private func duration(_ session: SessionSummary) -> String {
    guard let duration = session.duration else { return "-" }
    return NumberText.seconds(duration) + (session.closed == nil ? "+" : "")
  }
}
