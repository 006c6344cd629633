// What a shell offers for an argument or an option's value.

@testable import scrollctl

/// What a shell offers for an argument or an option's value: as the help writes it, so says the table of verbs.
struct Completion: Equatable {
  var files = false
  var directories = false
  /// The names of clients that the daemon has.
  var clients = false
  /// The names of policies.
  var policies = false
  /// Words that are written as they stand.
  var words: [String] = []

  var isNothing: Bool { self == Completion() }

  /// What fits what help writes for an argument, such as `CLIENT|SESSION|FILE` and `top|bottom|page N|X,Y`. Nothing can be
  /// offered for numbers, times and ids.
  init(placeholder: String) {
    for part in placeholder.split(whereSeparator: { "|…".contains($0) }) {
      switch part {
      case "FILE", "PATH", "OUT": files = true
      case "DIR": directories = true
      case "CLIENT", "GLOB": clients = true
      default:
        let word = part.prefix { $0.isLowercase }
        if !word.isEmpty { words.append(String(word)) }
      }
    }
  }

  /// What fits an option's value.
  init(_ option: Option) {
    self.init(placeholder: option.value ?? "")
    if option.name == "policy" { policies = true }
    if option.name == "client" { clients = true }
  }

  private init() {}

  /// What fits the arguments of a verb, one after the other; the last stands for all that may follow where it repeats.
  static func arguments(of verb: Verb) -> [Completion] {
    verb.arguments.flatMap { argument in
      [Completion(placeholder: argument.name)] + Array(repeating: Completion(), count: argument.words - 1)
    }
  }
}

extension Verb {
  /// Whether more arguments may follow than it names.
  var takesMore: Bool { arguments.last?.repeats == true }
}
