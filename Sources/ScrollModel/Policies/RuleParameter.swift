/// A row of a rule's table of parameters.
///
/// The table is all that configuration, the log and JSON know of a rule: a parameter is read, set and listed through its
/// row. Its default is the property's, and its meaning is in the property's comment.
public struct RuleParameter<Rule: Sendable>: Sendable {
  /// Where a parameter is, and so what values it can have.
  public enum Storage: Sendable {
    /// A finite number of at least 0, in a unit.
    case number(WritableKeyPath<Rule, Double> & Sendable, Unit)
    /// When the toolbar comes back at the bottom.
    case reveal(WritableKeyPath<Rule, SafariRule.RevealAtBottom> & Sendable)
  }

  /// The parameter's name in configuration and log.
  public let name: String
  /// Where the parameter is.
  public let storage: Storage

  init(_ name: String, _ storage: Storage) {
    self.name = name
    self.storage = storage
  }

  /// The parameter's value as text.
  func text(of rule: Rule) -> String {
    switch storage {
    case .number(let path, _): shortest(rule[keyPath: path])
    case .reveal(let path): rule[keyPath: path].rawValue
    }
  }

  /// Sets the parameter from text.
  func set(_ text: String, in rule: inout Rule) throws(Policy.ParameterError) {
    switch storage {
    case .number(let path, _):
      guard let value = Double(text), value.isFinite, value >= 0 else {
        throw .badNumber(parameter: name, text: text)
      }
      rule[keyPath: path] = value
    case .reveal(let path):
      guard let choice = SafariRule.RevealAtBottom(rawValue: text) else {
        let choices = SafariRule.RevealAtBottom.allCases.map(\.rawValue)
        throw .badChoice(parameter: name, text: text, choices: choices)
      }
      rule[keyPath: path] = choice
    }
  }
}

extension ClassicRule {
  /// The table of the rule's parameters, in the order in which they are listed.
  public static let parameters: [RuleParameter<ClassicRule>] = [
    RuleParameter("topButtonDistance", .number(\.topButtonDistance, .points))
  ]
}

extension SafariRule {
  /// The table of the rule's parameters, in the order in which they are listed.
  public static let parameters: [RuleParameter<SafariRule>] = [
    RuleParameter("hideDistance", .number(\.hideDistance, .points)),
    RuleParameter("showDistance", .number(\.showDistance, .points)),
    RuleParameter("edgeTolerance", .number(\.edgeTolerance, .points)),
    RuleParameter("zoomTolerance", .number(\.zoomTolerance, .ratio)),
    RuleParameter("zoomInDistance", .number(\.zoomInDistance, .ratio)),
    RuleParameter("minimumRange", .number(\.minimumRange, .points)),
    RuleParameter("hideOffset", .number(\.hideOffset, .points)),
    RuleParameter("topButtonDistance", .number(\.topButtonDistance, .points)),
    RuleParameter("topButtonHysteresis", .number(\.topButtonHysteresis, .points)),
    RuleParameter("pageHysteresis", .number(\.pageHysteresis, .pages)),
    RuleParameter("revealAtBottom", .reveal(\.revealAtBottom)),
  ]
}
