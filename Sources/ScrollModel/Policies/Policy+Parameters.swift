// A policy's parameters by name: read, set and listed.

extension Policy {
  /// A parameter's name and its value as text, as configuration and the log write it.
  public struct Parameter: Equatable, Sendable {
    /// The parameter's name, as the rule spells it.
    public var name: String
    /// The value as text.
    public var value: String
  }

  /// The name of a rule, or of a parameter or its value, that doesn't fit.
  public enum ParameterError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownRule(String)
    case unknownParameter(String, rule: String, known: [String])
    case badNumber(parameter: String, text: String)
    case badChoice(parameter: String, text: String, choices: [String])

    /// The text for people.
    public var description: String {
      switch self {
      case .unknownRule(let name):
        "there is no rule “\(name)”: it must be classic or safari"
      case .unknownParameter(let name, let rule, let known):
        "the rule \(rule) has no parameter “\(name)”: it has \(known.joined(separator: ", "))"
      case .badNumber(let parameter, let text):
        "\(parameter) is “\(text)”: it must be a finite number of 0 or more"
      case .badChoice(let parameter, let text, let choices):
        "\(parameter) is “\(text)”: it must be \(choices.dropLast().joined(separator: ", ")) or \(choices.last ?? "")"
      }
    }
  }

  /// A policy of a rule's name with the rule's default parameters.
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
    case .classic(let rule):
      return ClassicRule.numbers.map { Parameter(name: $0.name, value: shortest(rule[keyPath: $0.path])) }
    case .safari(let rule):
      let numbers = SafariRule.numbers.map { Parameter(name: $0.name, value: shortest(rule[keyPath: $0.path])) }
      return numbers + [Parameter(name: SafariRule.revealName, value: rule.revealAtBottom.rawValue)]
    }
  }

  /// Sets a parameter of the rule from text.
  ///
  /// - Throws: ``ParameterError`` when the rule has no such parameter or the text is no value of it.
  public mutating func set(_ name: String, to text: String) throws(ParameterError) {
    switch rule {
    case .classic(var rule):
      guard let path = ClassicRule.numbers.first(where: { $0.name == name })?.path else {
        throw .unknownParameter(name, rule: "classic", known: parameters.map(\.name))
      }
      rule[keyPath: path] = try Self.number(text, of: name)
      self.rule = .classic(rule)
    case .safari(var rule):
      if name == SafariRule.revealName {
        guard let choice = SafariRule.RevealAtBottom(rawValue: text) else {
          let choices = SafariRule.RevealAtBottom.allCases.map(\.rawValue)
          throw .badChoice(parameter: name, text: text, choices: choices)
        }
        rule.revealAtBottom = choice
      } else {
        guard let path = SafariRule.numbers.first(where: { $0.name == name })?.path else {
          throw .unknownParameter(name, rule: "safari", known: parameters.map(\.name))
        }
        rule[keyPath: path] = try Self.number(text, of: name)
      }
      self.rule = .safari(rule)
    }
  }

  private static func number(_ text: String, of name: String) throws(ParameterError) -> Double {
    guard let value = Double(text), value.isFinite, value >= 0 else {
      throw .badNumber(parameter: name, text: text)
    }
    return value
  }
}

extension ClassicRule {
  /// The parameters that are numbers.
  static let numbers: [(name: String, path: WritableKeyPath<ClassicRule, Double> & Sendable)] = [
    ("topButtonDistance", \.topButtonDistance)
  ]
}

extension SafariRule {
  /// The one parameter that is a choice.
  static let revealName = "revealAtBottom"

  /// The parameters that are numbers.
  static let numbers: [(name: String, path: WritableKeyPath<SafariRule, Double> & Sendable)] = [
    ("hideDistance", \.hideDistance), ("showDistance", \.showDistance), ("edgeTolerance", \.edgeTolerance),
    ("zoomTolerance", \.zoomTolerance), ("zoomInDistance", \.zoomInDistance), ("minimumRange", \.minimumRange),
    ("topButtonDistance", \.topButtonDistance), ("topButtonHysteresis", \.topButtonHysteresis),
    ("pageHysteresis", \.pageHysteresis),
  ]
}
