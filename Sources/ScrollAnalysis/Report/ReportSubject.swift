import ScrollModel

/// What a report says about a session, other than its events.
public struct ReportSubject: Equatable, Sendable {
  /// The file's name, or the client's.
  public var name: String
  /// What the scroll view showed.
  public var title: String?
  /// The application's name and version.
  public var application: String?
  /// The client's name.
  public var client: String?
  /// The session's id.
  public var session: String?
  /// When it was opened, in microseconds since the Unix epoch; `nil` when unknown.
  public var opened: Int64?

  /// Creates the subject of a session.
  public init(
    name: String, title: String? = nil, application: String? = nil, client: String? = nil, session: String? = nil,
    opened: Int64? = nil
  ) {
    self.name = name
    self.title = title
    self.application = application
    self.client = client
    self.session = session
    self.opened = opened
  }

  /// The title, or else the name.
  var heading: String { title.flatMap { $0.isEmpty ? nil : $0 } ?? name }
}

/// The parts that both kinds of report have.
enum ReportParts {
  typealias Measure = Reading.Measure

  /// Returns a measure with its exact value for programs.
  static func data(_ reading: Reading, _ measure: Measure) -> String {
    guard let value = reading[measure] else { return "<span class=\"none\">–</span>" }
    return
      "<data value=\"\(raw(value))\" data-measure=\"\(measure.name)\">\(ReportPage.html(reading.text(of: measure)))</data>"
  }

  /// The exact text of a value.
  static func raw(_ value: Reading.Value) -> String {
    switch value {
    case .integer(let value): "\(value)"
    case .number(let value): shortest(value)
    case .word(let word): ReportPage.html(word)
    }
  }

  /// Returns a list of numbers that stand out.
  static func tiles(_ tiles: [(label: String, value: String)]) -> String {
    "<dl class=\"tiles\">\n"
      + tiles.map { "<div><dt>\($0.label)</dt><dd>\($0.value)</dd></div>\n" }.joined() + "</dl>\n"
  }

  /// Returns a table with a caption. The first cell of each row is its heading.
  ///
  /// - Parameter numeric: The columns of numbers, counted from 0, which are aligned to the right.
  static func table(
    _ caption: String, _ headings: [String], numeric: Set<Int> = [], _ rows: [[String]], id: String? = nil
  ) -> String {
    let label = { (index: Int) in numeric.contains(index) ? " class=\"n\"" : "" }
    var text = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"\(caption)\"><table"
    if let id { text += " id=\"\(id)\"" }
    text += "><caption>\(caption)</caption><thead><tr>"
    for (index, heading) in headings.enumerated() { text += "<th scope=\"col\"\(label(index))>\(heading)</th>" }
    text += "</tr></thead><tbody>\n"
    for row in rows {
      text += "<tr>"
      for (index, cell) in row.enumerated() {
        text += index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td\(label(index))>\(cell)</td>"
      }
      text += "</tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }
}
