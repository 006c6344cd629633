// Policies as data: presets, parameters by name, and what is refused.

import ScrollModel
import Testing

@Suite struct PolicyTests {
  @Test func presetsAreFoundByName() {
    let names = ["safari", "safari-arrival", "classic", "headroom", "material", "chrome"]
    #expect(Policy.presets.map(\.name) == names)
    for preset in Policy.presets { #expect(Policy.preset(named: preset.name) == preset) }
    #expect(Policy.preset(named: "Safari") == nil)
  }

  @Test func arrivalIsSafariButForTheReveal() throws {
    var policy = Policy(name: "safari-arrival", rule: Policy.safari.rule)
    try policy.set("revealAtBottom", to: "arrival")
    #expect(policy == Policy.preset(named: "safari-arrival"))
  }

  @Test func parametersOfSafariAreTheDocumentedOnes() {
    let parameters = Policy.safari.parameters.map { "\($0.name) \($0.value)" }
    #expect(
      parameters == [
        "hideDistance 10", "showDistance 10", "edgeTolerance 2", "zoomTolerance 0.005", "zoomInDistance 0.05",
        "minimumRange 150", "topButtonDistance 450", "topButtonHysteresis 100", "pageHysteresis 0.05",
        "revealAtBottom secondPull",
      ])
    #expect(Policy.classic.parameters.map(\.name) == ["topButtonDistance"])
  }

  /// Setting each parameter to what it is, in text, gives the same policy: nothing is lost on the way to the log.
  @Test(arguments: Policy.presets) func parametersGoThroughText(_ preset: Policy) throws {
    var copy = try Policy(name: preset.name, ruleNamed: preset.rule.name)
    for parameter in preset.parameters { try copy.set(parameter.name, to: parameter.value) }
    #expect(copy == preset)
  }

  @Test func whatIsNoParameterIsRefused() {
    var policy = Policy.classic
    let known = ["topButtonDistance"]
    #expect(throws: Policy.ParameterError.unknownParameter("hideDistance", rule: "classic", known: known)) {
      try policy.set("hideDistance", to: "5")
    }
    #expect(throws: Policy.ParameterError.unknownRule("firefox")) { try Policy(name: "a", ruleNamed: "firefox") }
    for text in ["", "ten", "-1", "nan", "inf", "1e999"] {
      #expect(throws: Policy.ParameterError.badNumber(parameter: "topButtonDistance", text: text)) {
        try policy.set("topButtonDistance", to: text)
      }
    }
    policy = .safari
    let choices = ["secondPull", "arrival", "never"]
    #expect(throws: Policy.ParameterError.badChoice(parameter: "revealAtBottom", text: "always", choices: choices)) {
      try policy.set("revealAtBottom", to: "always")
    }
    #expect(policy == .safari)
  }
}
