import Platform
import ScrollModel

/// What a column of a table, or a member of a JSON object, holds.
enum ColumnRole: Hashable {
  case time
  case kind
  case client
  case application
  case title
  /// Whatever tells sessions apart; it becomes a part of the client's name.
  case session
  case field(Event.Field)

  static let all: [ColumnRole] =
    [.time, .kind, .client, .application, .title, .session] + Event.Field.allCases.map { .field($0) }

  /// The role's name in `--columns`.
  var name: String {
    switch self {
    case .time: "time"
    case .kind: "kind"
    case .client: "client"
    case .application: "application"
    case .title: "title"
    case .session: "session"
    case .field(let field): "\(field.name)"
    }
  }

  /// Whether its values may be numbers with decimals.
  var isNumeric: Bool {
    switch self {
    case .time: true
    case .field(let field): if case .number = field.valueType { true } else { false }
    default: false
    }
  }

  /// Returns the role of a name; `nil` when no role has it.
  static func named(_ name: String) -> ColumnRole? { all.first { $0.name == name } }

  /// Recognizes a column by its heading. Case, spaces, `_` and `-` do not matter.
  static func recognizing(_ heading: String) -> ColumnRole? {
    let plain = heading.lowercased().filter { $0 != " " && $0 != "_" && $0 != "-" }
    if let role = all.first(where: { $0.name.lowercased() == plain }) { return role }
    switch plain {
    case "timestamp", "t", "ts", "datetime": return .time
    case "scrolly", "scrolltop", "offsety", "pageyoffset", "contentoffsety": return .field(.y)
    case "scrollx", "scrollleft", "offsetx", "pagexoffset", "contentoffsetx": return .field(.x)
    case "scrollheight", "documentheight", "pageheight": return .field(.contentHeight)
    case "scrollwidth", "documentwidth": return .field(.contentWidth)
    case "innerheight", "clientheight", "viewportheight", "windowheight": return .field(.frameHeight)
    case "innerwidth", "clientwidth", "viewportwidth", "windowwidth": return .field(.frameWidth)
    case "sessionid": return .session
    case "participant", "participantid", "subject", "subjectid", "user", "userid", "visitor", "visitorid", "reader",
      "readerid", "clientid":
      return .client
    case "article", "pagetitle", "url": return .title
    case "app": return .application
    default: return nil
    }
  }
}

/// A column's place: its name in the heading, or its number from 1.
struct ColumnChoice: Equatable {
  var role: ColumnRole
  var column: String

  /// Reads `time=timestamp,y=scrollTop` or `time=1,y=3`.
  ///
  /// - Throws: ``UsageError`` for an unknown role, or one that appears twice.
  static func list(_ text: String) throws(UsageError) -> [ColumnChoice] {
    var choices: [ColumnChoice] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = sides[0].filter { $0 != " " }
      guard sides.count == 2, !sides[1].isEmpty else {
        throw expected(text, "FIELD=COLUMN, separated by commas, such as time=timestamp,y=scrollTop or time=1,y=3")
      }
      guard let role = ColumnRole.named(name) else {
        let names = ColumnRole.all.map(\.name)
        let near = Suggestion.nearest(to: name, among: names).map { " (did you mean \($0)?)" } ?? ""
        throw expected(text, "without the unknown field “\(name)”\(near); fields are \(names.joined(separator: ", "))")
      }
      if choices.contains(where: { $0.role == role }) { throw expected(text, "a column for \(name) only once") }
      choices.append(ColumnChoice(role: role, column: sides[1]))
    }
    return choices
  }

  private static func expected(_ text: String, _ what: String) -> UsageError {
    .badValue(option: "columns", text: text, expected: what)
  }
}
