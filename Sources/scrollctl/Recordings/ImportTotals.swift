/// What the import of several files came to.
struct ImportTotals: Equatable {
  private var files = 0
  private var sessions = 0
  private var events: Int64 = 0
  private var known = 0
  private var leftOut = 0
  private var refused = 0

  init() {}

  /// Counts a file.
  ///
  /// - Parameter isRefused: Whether nothing of it is imported.
  mutating func addFile(isRefused: Bool) {
    files += 1
    if isRefused { refused += 1 }
  }

  mutating func add(_ outcome: ImportPlan.Outcome) {
    switch outcome {
    case .stored(let sent):
      sessions += 1
      events += sent.events
    case .known: known += 1
    case .leftOut: leftOut += 1
    }
  }

  /// The sum in a sentence.
  var text: String {
    var parts = ["imported \(Self.count(sessions, "session")) with \(Self.count(Int(events), "event"))"]
    if known > 0 { parts.append("\(known) already in the log") }
    if leftOut > 0 { parts.append("\(leftOut) left out") }
    if refused > 0 { parts.append("nothing of \(Self.count(refused, "file"))") }
    return "\(Self.count(files, "file")): \(parts.joined(separator: ", "))."
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
