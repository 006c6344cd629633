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

  /// Returns the moment of `--at`; `nil` when it is absent.
  func moment() throws(UsageError) -> Moment? {
    guard let text = command.text(.at) else { return nil }
    if let moment = Moment(text, now: UnixMicroseconds.now.rawValue) { return moment }
    throw .badValue(option: Option.at.name, text: text, expected: Moment.expected)
  }

  /// Returns the clock of `--by`.
  func clock() throws(UsageError) -> LogReading.Clock {
    guard let text = command.text(.clock) else { return .received }
    if let clock = LogReading.Clock(rawValue: text) { return clock }
    throw .badValue(option: Option.clock.name, text: text, expected: "received or event-time")
  }
}
