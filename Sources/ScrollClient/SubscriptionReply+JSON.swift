// What a subscriber is told, in its JSON form.

import JSON
import ScrollModel

extension SubscriptionReply.Opened: JSONWritable {
  /// Writes the opening as a JSON object.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("time", time)
    writer.member("application", ifPresent: application)
    writer.member("title", ifPresent: title)
    writer.member("policy", policy)
    writer.endObject()
  }
}

extension SubscriptionReply.Closed: JSONWritable {
  /// Writes the closing as a JSON object.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("time", time)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension SubscriptionReply: JSONWritable {
  /// Writes the reply as the JSON object that the wire has.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("position", position)
    switch content {
    case .opened(let opened): writer.member("opened", opened)
    case .closed(let closed): writer.member("closed", closed)
    case .state(let state): writer.member("state", state)
    case .transition(let transition): writer.member("transition", transition)
    case .caughtUp(let generation):
      writer.member("caughtUp", true)
      writer.member("generation", ifPresent: generation)
    case .heartbeat: break
    }
    writer.endObject()
  }
}
