import ScrollModel

extension MemberReader {
  /// Reads the policy that was in force when a session began: its name, its rule, and the rule's parameters.
  ///
  /// - Returns: `nil` if there is only a name, because a name alone does not determine the parameters.
  mutating func policy() throws(EventProblem) -> Policy? {
    let name = try optionalText("policy")
    let (rule, parameters) = (optionalValue("rule"), optionalValue("parameters"))
    if rule == nil, parameters == nil { return nil }
    guard let name else {
      throw EventProblem(field: "policy", reason: "is missing: a rule and its parameters need a policy's name")
    }
    var policy = try policy(name: name, ruleNamed: string("rule"))
    guard let list = try value("parameters").asArray else {
      throw EventProblem(field: "parameters", reason: "must be an array of objects with a name and a value")
    }
    for parameter in list {
      guard let name = parameter["name"]?.asString, let text = parameter["value"]?.asString else {
        throw EventProblem(field: "parameters", reason: "must be an array of objects with a name and a value")
      }
      do {
        try policy.set(name, to: text)
      } catch {
        throw EventProblem(field: "parameters", reason: "don't fit: \(error)")
      }
    }
    return policy
  }

  private func policy(name: String, ruleNamed rule: String) throws(EventProblem) -> Policy {
    do {
      return try Policy(name: name, ruleNamed: rule)
    } catch {
      throw EventProblem(field: "rule", reason: "doesn't fit: \(error)")
    }
  }
}
