internal import JSON
internal import ScrollJSON
import ScrollModel
internal import Varlink

/// Encodes the JSON object whose members `members` writes.
func encodeJSON(_ members: (inout JSONWriter) -> Void) -> String {
  let bytes = JSONWriter.encode { writer in
    writer.beginObject()
    members(&writer)
    writer.endObject()
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Reads a JSON object.
///
/// - Throws: ``MalformedReport``.
func decodeJSON<Report>(
  _ text: String, _ read: (ReplyMembers) throws(ReplyMembers.Unexpected) -> Report
) throws(MalformedReport) -> Report {
  do {
    return try JSONParser().parse(Array(text.utf8)) { value in try read(ReplyMembers(value.asObject)) }
  } catch let error as ReplyMembers.Unexpected {
    throw .member(error.name)
  } catch {
    throw .notJSON(reason: "\(error)")
  }
}

extension StateReport {
  /// Reads a state from JSON, in the daemon's form.
  ///
  /// - Throws: ``MalformedReport``.
  public init(json text: String) throws(MalformedReport) {
    self = try decodeJSON(text) { (members) throws(ReplyMembers.Unexpected) in try StateReport(members) }
  }

  /// The state as a JSON object, in the daemon's form. Unknown values have no member.
  public var json: String { encodeJSON { writeMembers(to: &$0) } }

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("position", position)
    for field in FoldState.Field.allCases { writer.member(field.name, ifPresent: self[field]) }
    writer.member("policy", policy)
  }
}

extension TransitionReport {
  /// Reads a transition from JSON, in the daemon's form.
  ///
  /// - Throws: ``MalformedReport``.
  public init(json text: String) throws(MalformedReport) {
    self = try decodeJSON(text) { (members) throws(ReplyMembers.Unexpected) in try TransitionReport(members) }
  }

  /// The transition as one flat JSON object: the state's members, then `changed`, then `reason`.
  public var json: String { encodeJSON { writeMembers(to: &$0) } }

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    state.writeMembers(to: &writer)
    writer.member("changed", changed)
    writer.member("reason", ifPresent: reason)
  }
}

extension SubscriptionReply {
  /// The reply as a JSON object, in the daemon's form.
  public var json: String {
    encodeJSON { writer in
      writer.member("position", position)
      switch content {
      case .opened(let opened): writer.object("opened", opened.writeMembers)
      case .closed(let closed): writer.object("closed", closed.writeMembers)
      case .state(let state): writer.object("state", state.writeMembers)
      case .transition(let transition): writer.object("transition", transition.writeMembers)
      case .caughtUp(let generation):
        writer.member("caughtUp", true)
        writer.member("generation", ifPresent: generation)
      case .heartbeat: break
      }
    }
  }
}

extension SubscriptionReply.Opened {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("time", time.rawValue)
    writer.member("application", ifPresent: application)
    writer.member("title", ifPresent: title)
    writer.member("policy", policy)
  }
}

extension SubscriptionReply.Closed {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("time", time.rawValue)
    writer.member("reason", reason)
  }
}

extension JSONWriter {
  fileprivate mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
    key(name)
    beginObject()
    members(&self)
    endObject()
  }
}
