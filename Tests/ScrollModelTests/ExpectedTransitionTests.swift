import ScrollModel
import ScrollTesting
import Testing

@Suite("Expected transitions")
struct ExpectedTransitionTests {
  @Test("Every case folds to its expected transitions", arguments: try Fixtures.expectations(in: "cases"))
  func cases(_ expectation: Fixtures.Expectation) throws { try check(expectation) }

  @Test("Every recording folds to its expected transitions", arguments: try Fixtures.expectations(in: "recordings"))
  func recordings(_ expectation: Fixtures.Expectation) throws { try check(expectation) }

  @Test(
    "Every recording of the extension folds to its expected transitions",
    arguments: try Fixtures.expectations(in: "browser"))
  func browser(_ expectation: Fixtures.Expectation) throws { try check(expectation) }

  /// Fails if a folder is moved or emptied, in which case no expectation could fail.
  @Test("Every recording has its expectations")
  func nothingIsMissing() throws {
    let cases = try Fixtures.names(in: "cases")
    let recordings = try Fixtures.names(in: "recordings")
    let browser = try Fixtures.names(in: "browser")
    #expect(cases.count == 44)
    #expect(recordings.count == 9)
    #expect(try Fixtures.expectations(in: "cases").count == 3 * cases.count + Fixtures.setParameters.count)
    #expect(browser.count == 23)
    #expect(try Fixtures.expectations(in: "recordings").count == 2 * recordings.count)
    #expect(try Fixtures.expectations(in: "browser").count == browser.count)
  }

  private func check(_ expectation: Fixtures.Expectation) throws {
    let recording = try Fixtures.recording(expectation.name, in: expectation.folder)
    let policy = try policy(of: expectation)
    var state = FoldState()
    var transitions: [ExpectedTransition] = []
    for (line, event) in zip(recording.lines, recording.events) {
      let step = policy.step(&state, event)
      if !step.changed.isEmpty { transitions.append(ExpectedTransition(line: line, state, step)) }
    }
    #expect(try transitions == Fixtures.transitions(of: expectation))
  }

  private func policy(of expectation: Fixtures.Expectation) throws -> Policy {
    var policy = expectation.policy == "classic" ? Policy.classic : .safari
    switch expectation.policy {
    case "arrival": try policy.set("revealAtBottom", to: "arrival")
    case "set":
      let parameter = try #require(Fixtures.setParameters[expectation.name])
      try policy.set(parameter.name, to: parameter.value)
    default: try #require(policy.name == expectation.policy)
    }
    return policy
  }
}
