import JSON

/// The validated members of a call's message.
struct CallEnvelope {
  let method: JSONText
  let parameters: JSONObject?
  let oneway: Bool
  let more: Bool
  let upgrade: Bool

  init(_ message: JSONValue) throws(ProtocolViolation) {
    guard let members = message.asObject else { throw .notAnObject }
    var method: JSONText?
    var parameters: JSONObject?
    var oneway = false
    var more = false
    var upgrade = false
    for member in members {
      switch member.name {
      case "method":
        guard let text = member.value.asText else { throw .wrongType(member: "method") }
        method = text
      case "parameters":
        if member.value.isNull { continue }
        guard let object = member.value.asObject else { throw .wrongType(member: "parameters") }
        parameters = object
      case "oneway": oneway = try CallEnvelope.flag(member)
      case "more": more = try CallEnvelope.flag(member)
      case "upgrade": upgrade = try CallEnvelope.flag(member)
      default:
        guard member.name.bytes.contains(UInt8(ascii: ".")) else { throw .unknownMember(member.name.string) }
      }
    }
    guard let method else { throw .methodMissing }
    if oneway && more || upgrade && (oneway || more) { throw .conflictingFlags }
    self.method = method
    self.parameters = parameters
    self.oneway = oneway
    self.more = more
    self.upgrade = upgrade
  }

  private static func flag(_ member: JSONObject.Member) throws(ProtocolViolation) -> Bool {
    guard let flag = member.value.asBool else { throw .wrongType(member: member.name.string) }
    return flag
  }
}
