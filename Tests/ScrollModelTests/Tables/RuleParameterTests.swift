import ScrollModel
import ScrollTesting
import Testing

@Suite("The tables of rule parameters")
struct RuleParameterTests {
  @Test("Every stored property of a rule is a parameter")
  func storedProperties() {
    #expect(Set(StoredProperties.texts(of: SafariRule()).keys) == Set(SafariRule.parameters.map(\.name)))
    #expect(Set(StoredProperties.texts(of: ClassicRule()).keys) == Set(ClassicRule.parameters.map(\.name)))
  }

  @Test("A parameter sets the property of its name and no other", arguments: [Policy.safari, .classic])
  func access(policy: Policy) throws {
    for parameter in policy.parameters {
      var changed = policy
      try changed.set(parameter.name, to: Double(parameter.value) == nil ? "never" : "12345")
      #expect(
        Self.properties(of: changed).filter { Self.properties(of: policy)[$0.key] != $0.value }.keys
          .map(\.self) == [parameter.name])
    }
  }

  private static func properties(of policy: Policy) -> [String: String] {
    switch policy.rule {
    case .classic(let rule): StoredProperties.texts(of: rule)
    case .safari(let rule): StoredProperties.texts(of: rule)
    }
  }

  @Test("The page about the default rule lists each parameter with its default")
  func documentation() throws {
    let page = try ProjectFile.text("Sources/ScrollModel/ScrollModel.docc/DefaultRule.md")
    for parameter in Policy.safari.parameters {
      let value = Double(parameter.value) == nil ? "`\(parameter.value)`" : parameter.value
      #expect(page.contains("| `\(parameter.name)` | \(value) |"), "\(parameter.name)")
    }
  }
}
