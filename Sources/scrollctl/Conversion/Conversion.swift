import ScrollAnalysis
import ScrollModel

/// The sessions that are made of a file, and what is wrong with its lines.
final class Conversion {
  /// What the command line says about the file.
  struct Settings {
    /// The file's name in messages.
    var file: String
    var time = TimeScale()
    /// The client's name, unless the file has one.
    var client: String
    /// The title and application, unless the file has them.
    var title: String?
    var application: String?
    /// Sizes that the file does not have.
    var sizes: [Event.Field: Double] = [:]
    /// How long nothing may move before the scrolling counts as ended, in microseconds; `nil` to end it nowhere.
    var pause: Int64?
    /// How long nothing may be reported within a session, in microseconds; `nil` for any time.
    var gap: Int64?
  }

  /// A line that cannot be read.
  struct BadLine: Equatable {
    var line: Int
    var reason: String
  }

  let settings: Settings
  /// Shows how many bytes of the file were read.
  var progress: ProgressBar?
  private(set) var badLines: [BadLine] = []
  private(set) var sessions: [ConvertedSession] = []
  private var places: [ConvertedSession.Identity: Int] = [:]

  init(_ settings: Settings) { self.settings = settings }

  /// Returns the session with an identity, and begins it if the file has not had it yet, or not for longer than the gap.
  func session(_ identity: ConvertedSession.Identity, at time: Int64) throws(EventProblem) -> ConvertedSession {
    if let place = places[identity], !isOver(sessions[place], at: time) { return sessions[place] }
    return try begin(identity)
  }

  /// Whether a session has ended before a time because nothing was reported for longer than the gap.
  func isOver(_ session: ConvertedSession, at time: Int64) -> Bool {
    guard let gap = settings.gap, let last = session.times.span?.last else { return false }
    return time - last > gap
  }

  /// Begins a session. Later calls of ``session(_:at:)`` return it.
  @discardableResult
  func begin(_ identity: ConvertedSession.Identity) throws(EventProblem) -> ConvertedSession {
    try ClientName.validate(identity.client)
    let session = ConvertedSession(identity, pause: settings.pause)
    places[identity] = sessions.count
    sessions.append(session)
    return session
  }

  /// The identity of a file's only session.
  var identity: ConvertedSession.Identity {
    ConvertedSession.Identity(client: settings.client, application: settings.application, title: settings.title)
  }

  func refuse(line: Int, _ reason: String) { badLines.append(BadLine(line: line, reason: reason)) }

  /// The bad lines, of which those that have the same reason but for its numbers are one kind.
  var kindsOfBadLines: [(first: BadLine, others: Int)] {
    var kinds: [(first: BadLine, others: Int)] = []
    var places: [String: Int] = [:]
    for line in badLines {
      let key = line.reason.filter { !$0.isNumber }
      if let place = places[key] {
        kinds[place].others += 1
      } else {
        places[key] = kinds.count
        kinds.append((line, 0))
      }
    }
    return kinds
  }

  // MARK: Warnings

  /// The sizes without which nobody knows how much of the content was on screen.
  static let heights: [Event.Field] = [.contentHeight, .frameHeight]

  /// What to do about heights that a session does not have; `nil` if all have them.
  var missingHeights: String? {
    let missing = Self.heights.filter { field in sessions.contains { !$0.heights.contains(field) } }
    if missing.isEmpty { return nil }
    let options = missing.map { $0 == .contentHeight ? "--content-height" : "--frame-height" }
    let names = missing.map { "\($0.name)" }.joined(separator: " and no ")
    return "has no \(names), without which no bottom is ever reached and “reading” has no reach: choose "
      + "the column with --columns, or give \(options.joined(separator: " and "))"
  }

  /// What the reader of the result should know.
  var warnings: [String] {
    var warnings: [String] = []
    if let interval = typicalInterval, intervals.count >= 10, interval >= 50_000 {
      warnings.append(
        "most samples are \(interval / 1000) ms apart: turns between two samples are lost, so that real flips and flickers "
          + "may be missing")
    }
    if settings.gap == nil, let gap = sessions.map(\.times.longestGap).max(), gap > Self.visit {
      warnings.append(
        "a session has no data for \(NumberText.seconds(gap)): if these are several visits, --gap 30min begins a session "
          + "with each")
    }
    if sessions.contains(where: { $0.times.areWholeSeconds && $0.times.repeats >= 3 }) {
      warnings.append(
        "times are whole seconds, with several samples in one: what happened within a second seems to have happened at "
          + "once, so that flips and flickers cannot be trusted")
    }
    let backwards = sessions.map(\.times.backwardSteps).reduce(0, +)
    if backwards > 0 {
      warnings.append(
        "\(backwards) \(backwards == 1 ? "time is" : "times are") before the previous one, which makes durations and turns wrong: sort the file "
          + "by time, unless the clock was set back")
    }
    return warnings
  }

  /// A pause after which web analytics counts another visit, in microseconds: 30 min.
  private static let visit: Int64 = 1_800_000_000

  private var intervals: [Int64] { sessions.flatMap(\.intervals) }

  /// Why the times seem to be in another unit; `nil` if they don't.
  var timeDoubt: String? { typicalInterval.flatMap { settings.time.doubt(interval: $0) } }

  /// The median time between two samples of the same movement, in microseconds; `nil` with fewer than 3.
  private var typicalInterval: Int64? {
    let intervals = intervals.sorted()
    return intervals.count < 3 ? nil : intervals[intervals.count / 2]
  }
}
