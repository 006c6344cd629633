import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Sessions as a table. A session's row is made when it is added.
struct SessionTable {
  /// The most columns of a text.
  private static let textColumns = 28

  private let style: Style
  private let times: TimeText
  private var users = UserNames()
  private var table = TextTable([
    .init(heading: "OPENED"), .init(heading: "CLIENT", leastWidth: 16), .init(heading: "USER", dropOrder: 1),
    .init(heading: "APPLICATION", leastWidth: 8, dropOrder: 2),
    .init(heading: "TITLE", leastWidth: 14, dropOrder: 8), .init(heading: "DURATION", isRightAligned: true),
    .init(heading: "EVENTS", isRightAligned: true, dropOrder: 5),
    .init(heading: "REACH", isRightAligned: true, dropOrder: 6), .init(heading: "FLIPS", isRightAligned: true),
    .init(heading: "FLICKERS", isRightAligned: true, dropOrder: 7), .init(heading: "POLICY", dropOrder: 4),
    .init(heading: "SESSION", dropOrder: 3),
  ])

  init(style: Style = Style(), times: TimeText = TimeText()) {
    self.style = style
    self.times = times
  }

  /// Adds a session.
  mutating func add(_ session: SessionSummary) {
    table.add([
      times.date(session.opened.rawValue), visible(session.client), users.name(of: session.user),
      text(session.application), text(session.title), duration(session), "\(session.events)",
      session.reach.map { Reading.Measure.reach.text($0) } ?? "-", session.flips.map { "\($0)" } ?? "-",
      session.flickers.map { "\($0)" } ?? "-", visible(session.policy),
      "\(session.session)" + (session.isWhole ? "" : "*"),
    ])
  }

  /// The table, without the columns for which the terminal has no room.
  ///
  /// - Parameter places: Which sessions it shows, in this order, counted from 0 as they were added.
  func layout(_ places: [Int]) -> TextTable.Layout { table.layout(style, rows: places) }

  private func text(_ text: String?) -> String {
    text.map { fitted(visible($0), columns: Self.textColumns) } ?? "-"
  }

  private func duration(_ session: SessionSummary) -> String {
    guard let duration = session.duration else { return "-" }
    return NumberText.seconds(duration) + (session.closed == nil ? "+" : "")
  }
}
