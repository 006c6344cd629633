import ScrollAnalysis

/// The note about sessions in which times run backwards, so that durations and flips mean little.
struct ClockNote {
  private var counts: [(name: String, count: Int)] = []

  /// Adds a session.
  ///
  /// - Parameter name: The file's path, or the session's name.
  mutating func add(_ times: DisorderedTimes, of name: String) {
    guard times.count > 0 else { return }
    if let index = counts.firstIndex(where: { $0.name == name }) {
      counts[index].count += times.count
    } else {
      counts.append((name, times.count))
    }
  }

  /// Adds sessions that are loaded.
  mutating func add(_ sessions: [LoadedSession]) {
    for session in sessions {
      var times = DisorderedTimes()
      for event in session.events { times.add(event.time) }
      add(times, of: session.path ?? session.name)
    }
  }

  /// The messages, one for each file.
  var messages: [Failure] {
    counts.map { name, count in
      Failure(
        "\(name): \(count == 1 ? "1 time is" : "\(count) times are") before the previous one, so durations and turns may be wrong",
        hint: "“scrollctl check \(name)” shows where. Lines that are not in the order of time must be sorted first.")
    }
  }

  /// Prints the messages to standard error.
  func warn() {
    for message in messages { Program.warn(message.message, hint: message.hint) }
  }
}
