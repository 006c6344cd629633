import ScrollModel
import Testing

@Suite("Policies")
struct PolicyTests {
  @Test("Presets are found by name")
  func presetsAreFoundByName() {
    let names = ["safari", "safari-arrival", "classic", "headroom", "material", "chrome"]
    #expect(Policy.presets.map(\.name) == names)
    for preset in Policy.presets { #expect(Policy.preset(named: preset.name) == preset) }
    #expect(Policy.preset(named: "Safari") == nil)
  }

  @Test("safari-arrival is safari with a different reveal")
  func arrivalIsSafariButForTheReveal() throws {
    var policy = Policy(name: "safari-arrival", rule: Policy.safari.rule)
    try policy.set("revealAtBottom", to: "arrival")
    #expect(policy == Policy.preset(named: "safari-arrival"))
  }

  @Test("The rules have the documented parameters and defaults")
  func parametersOfSafariAreTheDocumentedOnes() {
    let parameters = Policy.safari.parameters.map { "\($0.name) \($0.value)" }
    #expect(
      parameters == [
        "hideDistance 10", "showDistance 10", "edgeTolerance 2", "zoomTolerance 0.005", "zoomInDistance 0.05",
        "minimumRange 150", "hideOffset 0", "topButtonDistance 450", "topButtonHysteresis 100",
        "pageHysteresis 0.05", "revealAtBottom secondPull",
      ])
    #expect(Policy.classic.parameters.map(\.name) == ["topButtonDistance"])
  }

  /// The log stores parameters as text.
  @Test("Parameters keep their values as text", arguments: Policy.presets)
  func parametersGoThroughText(_ preset: Policy) throws {
    var copy = try Policy(name: preset.name, ruleNamed: preset.rule.name)
    for parameter in preset.parameters { try copy.set(parameter.name, to: parameter.value) }
    #expect(copy == preset)
  }

  @Test("Unknown rules and parameters and invalid values are refused")
  func whatIsNoParameterIsRefused() {
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
