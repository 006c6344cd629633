import JSON

/// The validated members of a reply's message. Unknown members are ignored.
struct ReplyEnvelope {
  var error: JSONText?
  var parameters: JSONObject?
  var continues = false

  init(_ message: JSONValue) throws(ProtocolViolation) {
    guard let members = message.asObject else { throw .notAnObject }
    for member in members {
      switch member.name {
      case "error":
        if member.value.isNull { continue }
        guard let text = member.value.asText else { throw .wrongType(member: "error") }
        error = text
      case "parameters":
        if member.value.isNull { continue }
        guard let object = member.value.asObject else { throw .wrongType(member: "parameters") }
        parameters = object
      case "continues":
        if member.value.isNull { continue }
        guard let flag = member.value.asBool else { throw .wrongType(member: "continues") }
        continues = flag
      default: break
      }
    }
    if error != nil && continues { throw .unexpectedContinues }
  }
}
