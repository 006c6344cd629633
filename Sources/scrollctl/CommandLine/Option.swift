// An option of the command line.

/// An option of the command line.
struct Option: Sendable, Equatable {
  /// The long name without dashes.
  var name: String
  /// The letter that stands for it behind one dash.
  var short: Character?
  /// What stands for its value in help; `nil` for one without.
  var value: String?
  var repeats = false
  var summary: String

  /// As help writes it: `-f --follow`, `   --policy NAME`.
  var synopsis: String {
    let text = value.map { "--\(name) \($0)" } ?? "--\(name)"
    return (short.map { "-\($0) " } ?? "   ") + text
  }
}

// The options that every verb takes.
extension Option {
  static let help = Option(name: "help", short: "h", summary: "Show help, of the verb where one is given")
  static let version = Option(name: "version", summary: "Show the version")
  static let json = Option(name: "json", summary: "Print one JSON object a line, for programs")
  static let noColor = Option(name: "no-color", summary: "Print without colours")
  static let system = Option(name: "system", summary: "Talk to the machine's daemon")
  static let user = Option(name: "user", summary: "Talk to the daemon that is a service of yours")
  static let socket = Option(name: "socket", value: "PATH", summary: "Talk to the daemon that listens there")

  static let global: [Option] = [.json, .system, .user, .socket, .noColor, .help, .version]
}

// Options that several verbs share.
extension Option {
  static let policy = Option(name: "policy", value: "NAME", summary: "Fold with this policy (see “policies”)")
  static let set = Option(
    name: "set", value: "KEY=VALUE", repeats: true, summary: "Change a parameter of the policy; may be repeated")
  static let config = Option(
    name: "config", value: "FILE", summary: "Know the policies of this scrolld.conf, too, and of FILE.d/*.conf")
  static let uid = Option(name: "uid", value: "UID", summary: "The client of this user id")
  static let at = Option(
    name: "at", value: "WHEN", summary: "As it was after a position, or at a time such as “10 min ago”")
  static let after = Option(name: "after", value: "POSITION", summary: "What stands behind this position of the log")
}
