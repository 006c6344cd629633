import ScrollClient
import ScrollModel

/// The input of a verb: the parsed command line and the output.
struct Invocation {
  var command: ParsedCommand
  var output: Output
  var style: Style

  var wantsJSON: Bool { command.has(.json) }

  /// Returns an argument by its index; `nil` when it is absent.
  func argument(_ index: Int) -> String? {
    index < command.arguments.count ? command.arguments[index] : nil
  }

  /// The verb's name, for messages.
  var verbName: String { command.verb?.name ?? "" }

  /// Connects to the daemon that the command line selects.
  func connect() throws -> ServiceConnection {
    try ServiceConnection(command.address())
  }

  /// Returns an option's time, in microseconds since the Unix epoch; `nil` without it.
  ///
  /// - Parameter isEnd: Whether a span of time ends there. Then a time with milliseconds, as verbs print them, stands for the whole
  ///   millisecond.
  func time(_ option: Option, isEnd: Bool = false) throws(UsageError) -> Int64? {
    guard let text = command.text(option) else { return nil }
    if let time = TimeReader(now: UnixMicroseconds.now.rawValue).read(text) {
      return isEnd && TimeReader.hasMilliseconds(text) ? time + 999 : time
    }
    throw .badValue(
      option: option.name, text: text, expected: "a time such as “yesterday”, “10 min ago” or “2026-11-30 09:15”")
  }

  /// Returns the moment of `--at`; `nil` when it is absent.
  ///
  /// - Throws: `UsageError` for a text that is no moment; ``Failure`` for a time that is still to come by the daemon's clock.
  func moment() throws -> Moment? {
    guard let text = command.text(.at) else { return nil }
    let now = UnixMicroseconds.now.rawValue
    guard let moment = Moment(text, now: now) else {
      throw UsageError.badValue(option: Option.at.name, text: text, expected: Moment.expected)
    }
    // A client's clock may be ahead of this one.
    if try clock() == .received, !isAboutFile { try moment.requirePast(now: now) }
    return moment
  }

  /// Whether the verb's subject is a recording in a file, in which times are by its client's clock.
  private var isAboutFile: Bool {
    if case .file? = argument(0).map(Subject.init) { true } else { false }
  }

  /// Returns the clock of `--by`.
  func clock() throws(UsageError) -> LogReading.Clock {
    guard let text = command.text(.clock) else { return .received }
    if let clock = LogReading.Clock(rawValue: text) { return clock }
    throw .badValue(option: Option.clock.name, text: text, expected: "received or event-time")
  }
}
