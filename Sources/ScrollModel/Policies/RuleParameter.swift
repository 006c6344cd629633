/// A row of a rule's table of parameters.
///
/// The table is all that configuration, the log and JSON know of a rule: a parameter is read, set and listed through its
/// row. Its default is the property's.
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
  /// What the parameter is, in words that follow its name.
  public let meaning: String

  init(_ name: String, _ storage: Storage, _ meaning: String) {
    self.name = name
    self.storage = storage
    self.meaning = meaning
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
    RuleParameter(
      "topButtonDistance", .number(\.topButtonDistance, .points),
      "how far from the session's first offset the button to the top appears")
  ]
}

extension SafariRule {
  /// The table of the rule's parameters, in the order in which they are listed.
  public static let parameters: [RuleParameter<SafariRule>] = [
    RuleParameter(
      "hideDistance", .number(\.hideDistance, .points),
      "how far the user scrolls down before the toolbar hides"),
    RuleParameter(
      "showDistance", .number(\.showDistance, .points),
      "how far the user scrolls up before the toolbar appears"),
    RuleParameter(
      "edgeTolerance", .number(\.edgeTolerance, .points),
      "how near to an edge the offset counts as at it"),
    RuleParameter(
      "zoomTolerance", .number(\.zoomTolerance, .ratio),
      "how far above the minimum zoom scale, relative to it, still counts as zoomed out"),
    RuleParameter(
      "zoomInDistance", .number(\.zoomInDistance, .ratio),
      "how far above the minimum zoom scale, relative to it, counts as zoomed in"),
    RuleParameter(
      "minimumRange", .number(\.minimumRange, .points),
      "the toolbar never hides on content that scrolls less than this"),
    RuleParameter(
      "hideOffset", .number(\.hideOffset, .points),
      "the toolbar never hides within this distance from the top"),
    RuleParameter(
      "topButtonDistance", .number(\.topButtonDistance, .points),
      "how far from the top the button to the top appears"),
    RuleParameter(
      "topButtonHysteresis", .number(\.topButtonHysteresis, .points),
      "how much nearer to the top that button disappears again"),
    RuleParameter(
      "pageHysteresis", .number(\.pageHysteresis, .pages),
      "how far past the middle between two pages the page changes"),
    RuleParameter(
      "revealAtBottom", .reveal(\.revealAtBottom),
      "when the toolbar comes back at the bottom"),
  ]
}
