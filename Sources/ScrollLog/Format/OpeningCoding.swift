import ScrollModel

/// The encoding of openings and policies, the same in records and checkpoints.
enum OpeningCoding {
  private static let hasApplication: UInt8 = 1
  private static let hasTitle: UInt8 = 2
  private static let closesOnDisconnect: UInt8 = 4
  private static let hasGivenID: UInt8 = 8
  private static let isImported: UInt8 = 16

  static func append(_ opening: Opening, to writer: inout ByteWriter) {
    writer.append(opening.client.user)
    writer.append(opening.client.name.text)
    writer.append(opening.time)
    var flags: UInt8 = 0
    if opening.application != nil { flags |= hasApplication }
    if opening.title != nil { flags |= hasTitle }
    if opening.closeOnDisconnect { flags |= closesOnDisconnect }
    if opening.givenID != nil { flags |= hasGivenID }
    if opening.isImported { flags |= isImported }
    writer.append(flags)
    if let application = opening.application { writer.append(application) }
    if let title = opening.title { writer.append(title) }
    if let id = opening.givenID { writer.append(id) }
    append(opening.policy, to: &writer)
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> Opening {
    let client = ClientID(user: try reader.read(), name: try reader.text("client"))
    let time: Int64 = try reader.read()
    let flags: UInt8 = try reader.read()
    guard flags & ~(hasApplication | hasTitle | closesOnDisconnect | hasGivenID | isImported) == 0 else {
      throw .badValue(field: "opening flags", value: UInt64(flags))
    }
    let application = flags & hasApplication != 0 ? try reader.text("application") : nil
    let title = flags & hasTitle != 0 ? try reader.text("title") : nil
    let givenID = flags & hasGivenID != 0 ? try reader.session() : nil
    return Opening(
      client: client, time: time, application: application, title: title,
      closeOnDisconnect: flags & closesOnDisconnect != 0, givenID: givenID, isImported: flags & isImported != 0,
      policy: try reader.policy(readPolicy))
  }

  /// Parameters are stored as text, by name: the shortest text of a number reads back as the same number, and a rule that
  /// gets new parameters can still read policies written before it had them.
  private static func append(_ policy: Policy, to writer: inout ByteWriter) {
    writer.append(policy.name)
    writer.append(policy.rule.name)
    let parameters = policy.parameters
    writer.append(UInt16(parameters.count))
    for parameter in parameters {
      writer.append(parameter.name)
      writer.append(parameter.value)
    }
  }

  private static func readPolicy(_ reader: inout ByteReader) throws(ContentError) -> Policy {
    let name = try reader.text("policy")
    let rule = try reader.text("rule")
    let count: UInt16 = try reader.read()
    var parameters: [(name: String, value: String)] = []
    for _ in 0..<count {
      parameters.append((try reader.text("parameter"), try reader.text("parameter value")))
    }
    do {
      var policy = try Policy(name: name, ruleNamed: rule)
      for parameter in parameters { try policy.set(parameter.name, to: parameter.value) }
      return policy
    } catch {
      throw .badPolicy(error)
    }
  }
}
