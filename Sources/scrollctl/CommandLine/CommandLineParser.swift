import Platform

/// Parses command lines by the table of verbs. Options may be anywhere before `--`.
struct CommandLineParser {
  private let verbs: [Verb]
  private var command = ParsedCommand()
  private var rest: ArraySlice<String>
  private var optionsEnded = false

  /// Parses the arguments after the program's name.
  static func parse(_ arguments: [String], verbs: [Verb]) throws(UsageError) -> ParsedCommand {
    var parser = CommandLineParser(verbs: verbs, rest: arguments[...])
    while let argument = parser.rest.popFirst() { try parser.take(argument) }
    // Help must work before you know the arguments.
    if !parser.command.has(.help) && !parser.command.has(.version) { try parser.checkArguments() }
    return parser.command
  }

  /// Returns the verb of a command line, also of one with an error.
  static func verb(of arguments: [String], verbs: [Verb]) -> Verb? {
    var parser = CommandLineParser(verbs: verbs, rest: arguments[...])
    do throws(UsageError) {
      while let argument = parser.rest.popFirst() { try parser.take(argument) }
    } catch {
      // The error is reported where it counts.
    }
    return parser.command.verb
  }

  private init(verbs: [Verb], rest: ArraySlice<String>) {
    self.verbs = verbs
    self.rest = rest
  }

  private mutating func take(_ argument: String) throws(UsageError) {
    if optionsEnded || !argument.hasPrefix("-") || argument == "-" || isNegative(argument) {
      try takePlain(argument)
    } else if argument == "--" {
      optionsEnded = true
    } else if argument.hasPrefix("--") {
      try takeLong(argument.dropFirst(2))
    } else {
      try takeShort(argument.dropFirst())
    }
  }

  /// Whether an argument begins with a negative number, as offsets may. No option's short form is a digit.
  private func isNegative(_ argument: String) -> Bool {
    argument.dropFirst().first.map { $0.isASCII && $0.isNumber || $0 == "." } ?? false
  }

  private mutating func takePlain(_ argument: String) throws(UsageError) {
    if command.verb != nil {
      command.arguments.append(argument)
      return
    }
    if argument == "help" {
      // “help VERB” is a common alternative to “VERB --help”.
      command.options[Option.help.name] = [""]
      return
    }
    guard let verb = verbs.named(argument) else {
      throw .unknownVerb(argument, near: Suggestion.nearest(to: argument, among: verbs.map(\.name)))
    }
    command.verb = verb
  }

  /// The options that count here. Before the verb, these are also options of verbs that mean the same wherever they stand, as
  /// users of journalctl write them.
  private var knownOptions: [Option] { (command.verb?.options ?? Option.anywhere) + Option.global }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let name = String(text.prefix { $0 != "=" })
    let value = name.count < text.count ? String(text.dropFirst(name.count + 1)) : nil
    guard let option = knownOptions.first(where: { $0.name == name }) else {
      let near = Suggestion.nearest(to: name, among: knownOptions.map(\.name))
      throw unknown("--\(name)", near: near.map { "--\($0)" })
    }
    if option.value == nil {
      if value != nil { throw .unexpectedValue(option: name) }
      try record(option, "")
    } else {
      if let value { try record(option, value) } else { try record(option, nextValue(of: option)) }
    }
  }

  /// Parses one or more short options. The rest after an option with a value is the value.
  private mutating func takeShort(_ text: Substring) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = knownOptions.first(where: { $0.short == letter }) else {
        throw unknown("-\(letter)", near: nil)
      }
      if option.value == nil {
        try record(option, "")
      } else {
        try record(option, letters.isEmpty ? nextValue(of: option) : String(letters))
        return
      }
    }
  }

  private mutating func nextValue(of option: Option) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw .missingValue(option: option.name, value: option.value ?? "VALUE")
    }
    return value
  }

  private mutating func record(_ option: Option, _ value: String) throws(UsageError) {
    if option.value != nil, !option.repeats, command.has(option) { throw .repeatedOption(option.name) }
    command.options[option.name, default: []].append(value)
  }

  /// Creates the error of an unknown option. It names the verbs that have the option.
  private func unknown(_ option: String, near: String?) -> UsageError {
    let owners = verbs.filter { verb in
      verb.options.contains { "--\($0.name)" == option || $0.short.map { "-\($0)" } == option }
    }
    return .unknownOption(option, verb: command.verb?.name, near: near, owners: owners.map(\.name))
  }

  private func checkArguments() throws(UsageError) {
    guard let verb = command.verb else { return }
    for option in Option.anywhere where command.has(option) && !verb.options.contains(where: { $0.name == option.name })
    {
      throw unknown("--\(option.name)", near: nil)
    }
    let required = verb.arguments.filter(\.isRequired).count
    if command.arguments.count < required {
      throw .missingArgument(verb.arguments[command.arguments.count].name, verb: verb.name)
    }
    let maximum = verb.arguments.map(\.words).reduce(0, +)
    if command.arguments.count > maximum, verb.arguments.last?.repeats != true {
      throw .tooManyArguments(command.arguments[maximum], verb: verb.name)
    }
  }
}
