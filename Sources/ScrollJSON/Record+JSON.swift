import JSON
import ScrollModel

extension Record: JSONWritable {
  /// Writes the record as a JSON object in the form of a recording's line, with its kind first.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .event(let event, number: _):
      event.writeMembers(to: &writer)
    case .open(let opening):
      writer.member("kind", "open")
      writer.member("time", opening.time)
      writer.member("client", opening.client.name.text)
      writer.member("application", ifPresent: opening.application)
      writer.member("title", ifPresent: opening.title)
      writer.member("policy", opening.policy.name)
      writer.member("rule", opening.policy.rule.name)
      writer.key("parameters")
      writer.beginArray()
      for parameter in opening.policy.parameters {
        writer.beginObject()
        writer.member("name", parameter.name)
        writer.member("value", parameter.value)
        writer.endObject()
      }
      writer.endArray()
    case .close(let closing):
      writer.member("kind", "close")
      writer.member("time", closing.time)
      writer.key("reason")
      writer.string(utf8: closing.reason.name.bytes)
    case .request(let request):
      writer.member("kind", "request")
      writer.member("time", request.time)
      request.target.writeMembers(to: &writer)
    case .response(let response):
      writer.member("kind", "response")
      writer.member("time", response.time)
      writer.member("request", response.request)
      writer.member("done", response.done)
      writer.member("reason", ifPresent: response.reason)
    }
    writer.endObject()
  }
}

extension ScrollRequest.Target {
  /// Writes `target` and the members that it needs into the current object.
  public func writeMembers(to writer: inout JSONWriter) {
    writer.key("target")
    writer.string(utf8: name.bytes)
    switch self {
    case .top, .bottom: break
    case .page(let page): writer.member("page", page)
    case .offset(let x, let y):
      writer.member("x", x)
      writer.member("y", y)
    }
  }
}
