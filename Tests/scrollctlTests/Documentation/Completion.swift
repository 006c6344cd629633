import ScrollModel

@testable import scrollctl

/// What a shell offers for an argument or an option's value, derived from its placeholder in help.
struct Completion: Equatable {
  var files = false
  var directories = false
  /// Names of the daemon's clients.
  var clients = false
  /// Names of policies.
  var policies = false
  /// Literal words.
  var words: [String] = []

  var isNothing: Bool { self == Completion() }

  /// Creates the completion for a placeholder such as `CLIENT|SESSION|FILE` or `top|bottom|page N|X,Y`. Numbers, times and ids
  /// have none.
  init(placeholder: String) {
    for part in placeholder.split(whereSeparator: { "|…".contains($0) }) {
      switch part {
      case "FILE", "PATH", "OUT": files = true
      case "DIR": directories = true
      case "CLIENT", "GLOB": clients = true
      case _ where part.hasPrefix("PARAMETER=") || part.hasPrefix("KEY="):
        words += Policy.safari.parameters.map { "\($0.name)=" }
      default:
        let word = part.prefix { $0.isLowercase || $0 == "-" }
        if word.first?.isLowercase == true { words.append(String(word)) }
      }
    }
  }

  /// Creates the completion for an option's value.
  init(_ option: Option) {
    self.init(placeholder: option.value ?? "")
    if option.name == "policy" { policies = true }
    if option.name == "client" { clients = true }
    if option.name == "sort" { words = SessionOrder.allCases.map(\.rawValue) }
  }

  private init() {}

  /// Returns the completions of a verb's arguments in order. The last one also applies to repetitions.
  static func arguments(of verb: Verb) -> [Completion] {
    verb.arguments.flatMap { argument in
      [Completion(placeholder: argument.name)] + Array(repeating: Completion(), count: argument.words - 1)
    }
  }
}

extension Verb {
  /// Whether the last argument may be repeated.
  var takesMore: Bool { arguments.last?.repeats == true }
}
