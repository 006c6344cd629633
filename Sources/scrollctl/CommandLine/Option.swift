/// An option of the command line.
struct Option: Sendable, Equatable {
  /// The long name without dashes.
  var name: String
  /// The letter of its short form.
  var short: Character?
  /// The placeholder of its value in help; `nil` for an option without a value.
  var value: String?
  var repeats = false
  var summary: String

  /// The option as help shows it: `-f --follow`, `   --policy NAME`.
  var synopsis: String {
    let text = value.map { "--\(name) \($0)" } ?? "--\(name)"
    return (short.map { "-\($0) " } ?? "   ") + text
  }
}

// The options that every verb takes.
extension Option {
  static let help = Option(name: "help", short: "h", summary: "Show help for the program or for a verb")
  static let version = Option(name: "version", summary: "Show the version")
  static let json = Option(name: "json", summary: "Print one JSON object per line")
  static let color = Option(
    name: "color", value: "always|auto|never", summary: "Use colors: always, or on a terminal [auto]")
  static let noColor = Option(name: "no-color", summary: "Print without colors, as --color=never")
  static let system = Option(name: "system", summary: "Use the system's daemon")
  static let user = Option(name: "user", summary: "Use the calling user's daemon")
  static let socket = Option(name: "socket", value: "PATH", summary: "Use the daemon at this socket")

  static let global: [Option] = [.json, .system, .user, .socket, .color, .noColor, .help, .version]
}

// Options that several verbs share.
extension Option {
  static let policy = Option(name: "policy", value: "NAME", summary: "Use this policy (see “policies”)")
  static let set = Option(
    name: "set", value: "KEY=VALUE", repeats: true, summary: "Set a parameter of the policy; repeatable")
  static let config = Option(
    name: "config", value: "FILE", summary: "Add the policies of this scrolld.conf and of FILE.d/*.conf")
  static let uid = Option(name: "uid", value: "UID", summary: "The client of this user")
  static let at = Option(
    name: "at", value: "WHEN", summary: "The state after this position or event, or at a time such as “10 min ago”")
  static let clock = Option(
    name: "by", value: "received|event-time",
    summary: "The clock of times: the daemon's, or the client's [received]")
  static let noPager = Option(name: "no-pager", summary: "Do not show long output in a pager")
  /// The options that may also be before the verb.
  static let anywhere: [Option] = [.noPager, .uid]

  static let after = Option(name: "after", value: "POSITION", summary: "Start after this position of the log")
}
