/// An error in a command line.
enum UsageError: Error, Equatable, CustomStringConvertible {
  case missingVerb
  case unknownVerb(String, near: String?)
  /// An unknown option. `owners` are the verbs that have it.
  case unknownOption(String, verb: String?, near: String?, owners: [String])
  case missingValue(option: String, value: String)
  case unexpectedValue(option: String)
  case badValue(option: String, text: String, expected: String)
  case badArgument(String, text: String, expected: String, verb: String)
  /// An argument with a structure of its own, and what is wrong with it.
  case unusableArgument(String, reason: String, verb: String)
  /// An assignment of an option, and what is wrong with it.
  case badAssignment(option: String, reason: String)
  case repeatedOption(String)
  case conflict(String, String)
  case missingArgument(String, verb: String)
  case missingOption(String, verb: String)
  case tooManyArguments(String, verb: String)
  case badEnvironment(String)
  /// The verb has no JSON output, but another one has.
  case noJSON(verb: String, instead: String)

  var description: String {
    switch self {
    case .missingVerb: "missing verb"
    case .unknownVerb(let name, let near):
      "unknown verb “\(name)”" + (near.map { ": did you mean “\($0)”?" } ?? "")
    case .unknownOption(let option, let verb, let near, let owners):
      Self.unknownOption(option, verb, near, owners)
    case .missingValue(let option, let value): "--\(option) needs a value: --\(option) \(value)"
    case .unexpectedValue(let option): "--\(option) takes no value"
    case .badValue(let option, let text, let expected): "--\(option) is “\(text)”: it must be \(expected)"
    case .badArgument(let name, let text, let expected, _): "\(name) is “\(text)”: it must be \(expected)"
    case .unusableArgument(let text, let reason, _): "“\(text)”: \(reason)"
    case .badAssignment(let option, let reason): "--\(option): \(reason)"
    case .repeatedOption(let option): "--\(option) appears twice"
    case .conflict(let first, let second): "--\(first) and --\(second) cannot be used together"
    case .missingArgument(let name, let verb): "\(verb) needs a \(name)"
    case .missingOption(let option, let verb): "\(verb) needs \(option)"
    case .tooManyArguments(let argument, let verb): "too many arguments for \(verb): “\(argument)”"
    case .badEnvironment(let text): text
    case .noJSON(let verb, let instead): "\(verb) has no JSON output: use “\(instead)”"
    }
  }

  private static func unknownOption(_ option: String, _ verb: String?, _ near: String?, _ owners: [String]) -> String {
    let list = owners.map { "“\($0)”" }.joined(separator: ", ")
    guard let verb else {
      if !owners.isEmpty { return "\(option) belongs to \(list): put it after the verb" }
      return "unknown option \(option)" + (near.map { ": did you mean \($0)?" } ?? "")
    }
    if let near { return "\(verb) has no option \(option): did you mean \(near)?" }
    return "\(verb) has no option \(option)" + (owners.isEmpty ? "" : ": it belongs to \(list)")
  }
}
