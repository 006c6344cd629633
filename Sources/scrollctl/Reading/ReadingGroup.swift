import ScrollAnalysis

/// Sessions that have something in common, with their statistics.
struct ReadingGroup {
  /// What sessions are grouped by.
  enum Key: String, CaseIterable {
    case client
    case application
    case title

    func value(of head: SessionHead) -> String? {
      switch self {
      case .client: head.client
      case .application: head.application
      case .title: head.title
      }
    }
  }

  /// What the sessions have in common; `nil` for all sessions.
  var key: Key?
  /// The common value; `nil` for sessions without one.
  var name: String?
  var population: ReadingPopulation

  /// Groups sessions. The last group has all of them.
  static func groups(_ measured: MeasuredSessions, by key: Key?) -> [ReadingGroup] {
    let sessions = measured.sessions
    var groups: [ReadingGroup] = []
    if let key {
      let byName = Dictionary(grouping: sessions) { key.value(of: $0.head) }
      // Sessions without a value come last.
      for (name, members) in byName.sorted(by: {
        ($0.key == nil ? 1 : 0, $0.key ?? "") < ($1.key == nil ? 1 : 0, $1.key ?? "")
      }) {
        let population = ReadingPopulation(members.map(\.reading), bands: measured.bands)
        groups.append(ReadingGroup(key: key, name: name, population: population))
      }
    }
    let all = ReadingPopulation(sessions.map(\.reading), bands: measured.bands)
    return groups + [ReadingGroup(key: nil, name: "all", population: all)]
  }
}
