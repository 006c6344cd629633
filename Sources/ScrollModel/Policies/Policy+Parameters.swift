extension Policy {
  /// A parameter's name and its value as text, as they appear in the configuration and in the log.
  public struct Parameter: Equatable, Sendable {
    /// The parameter's name.
    public var name: String
    /// The value as text.
    public var value: String
  }

  /// An unknown rule or parameter, or an invalid value.
  public enum ParameterError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownRule(String)
    case unknownParameter(String, rule: String, known: [String])
    case badNumber(parameter: String, text: String)
    case badChoice(parameter: String, text: String, choices: [String])

    /// What is wrong and what is expected.
    public var description: String {
      switch self {
      case .unknownRule(let name):
        "unknown rule “\(name)”: it must be classic or safari"
      case .unknownParameter(let name, let rule, let known):
        "the rule \(rule) has no parameter “\(name)”: it has \(known.joined(separator: ", "))"
      case .badNumber(let parameter, let text):
        "\(parameter) is “\(text)”: it must be a finite number of 0 or more"
      case .badChoice(let parameter, let text, let choices):
        "\(parameter) is “\(text)”: it must be \(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "")"
      }
    }
  }

  /// Creates a policy from its name and its rule's name, with the rule's default parameters.
  ///
  /// - Throws: ``ParameterError/unknownRule(_:)``.
  public init(name: String, ruleNamed ruleName: String) throws(ParameterError) {
    switch ruleName {
    case "classic": self.init(name: name, rule: .classic(ClassicRule()))
    case "safari": self.init(name: name, rule: .safari(SafariRule()))
    default: throw .unknownRule(ruleName)
    }
  }

  /// The rule's parameters with their values, in a fixed order.
  public var parameters: [Parameter] {
    switch rule {
    case .classic(let rule): ClassicRule.parameters.map { Parameter(name: $0.name, value: $0.text(of: rule)) }
    case .safari(let rule): SafariRule.parameters.map { Parameter(name: $0.name, value: $0.text(of: rule)) }
    }
  }

  /// The rule's parameters with what each means, in a fixed order.
  public var parameterMeanings: [(name: String, meaning: String)] {
    switch rule {
    case .classic: ClassicRule.parameters.map { ($0.name, $0.meaning) }
    case .safari: SafariRule.parameters.map { ($0.name, $0.meaning) }
    }
  }

  /// Sets a parameter of the rule from text.
  ///
  /// - Throws: ``ParameterError`` if the rule has no such parameter or the text is not a valid value.
  public mutating func set(_ name: String, to text: String) throws(ParameterError) {
    switch rule {
    case .classic(var rule):
      try Self.set(name, to: text, in: &rule, of: ClassicRule.parameters, ruleName: self.rule.name)
      self.rule = .classic(rule)
    case .safari(var rule):
      try Self.set(name, to: text, in: &rule, of: SafariRule.parameters, ruleName: self.rule.name)
      self.rule = .safari(rule)
    }
  }

  private static func set<Rule>(
    _ name: String, to text: String, in rule: inout Rule, of parameters: [RuleParameter<Rule>], ruleName: String
  ) throws(ParameterError) {
    guard let parameter = parameters.first(where: { $0.name == name }) else {
      throw .unknownParameter(name, rule: ruleName, known: parameters.map(\.name))
    }
    try parameter.set(text, in: &rule)
  }
}
