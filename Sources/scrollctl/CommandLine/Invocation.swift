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
  func moment() throws -> LogMoment? {
    guard let text = command.text(.at) else { return nil }
    if let position = Int64(text), position >= 1 { return .position(position) }
    if let time = TimeReader(now: UnixMicroseconds.now.rawValue).read(text) { return .time(UnixMicroseconds(time)) }
    throw UsageError.badValue(
      option: Option.at.name, text: text,
      expected: "a position, 1 or more, or a time such as “10 min ago”, “09:15” or “2026-11-30 09:15”")
  }
}
