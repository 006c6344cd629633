import JSON
import ScrollClient

/// What `watch --json` prints: a flat object for each update, whose `kind` says what it is.
enum WatchJSON {
  /// The line of a reply; `nil` for a heartbeat.
  static func line(_ reply: SubscriptionReply) -> String? {
    switch reply.content {
    case .transition(let transition): extended(transition.json, "transition")
    case .state(let state): extended(state.json, "state")
    case .opened(let opened):
      object("opened") { writer in
        writer.member("position", reply.position)
        writer.member("client", opened.client)
        writer.member("user", opened.user)
        writer.member("session", opened.session.description)
        writer.member("time", opened.time.rawValue)
        writer.member("application", ifPresent: opened.application)
        writer.member("title", ifPresent: opened.title)
        writer.member("policy", opened.policy)
      }
    case .closed(let closed):
      object("closed") { writer in
        writer.member("position", reply.position)
        writer.member("client", closed.client)
        writer.member("user", closed.user)
        writer.member("session", closed.session.description)
        writer.member("time", closed.time.rawValue)
        writer.member("reason", closed.reason)
      }
    case .caughtUp(let generation):
      object("caughtUp") { writer in
        writer.member("position", reply.position)
        writer.member("generation", ifPresent: generation)
      }
    case .heartbeat: nil
    }
  }

  static func away(_ error: ServiceError) -> String { object("away") { $0.member("reason", error.description) } }

  static func back(after position: Int64?) -> String { object("back") { $0.member("after", ifPresent: position) } }

  static func lost(_ refusal: ServiceRefusal) -> String { object("lost") { $0.member("reason", refusal.description) } }

  /// Adds the kind to an object of the daemon.
  private static func extended(_ json: String, _ kind: StaticString) -> String {
    "{\"kind\":\"\(kind)\",\(json.dropFirst())"
  }

  private static func object(_ kind: String, _ members: (inout JSONWriter) -> Void) -> String {
    let bytes = JSONWriter.encode { writer in
      writer.beginObject()
      writer.member("kind", kind)
      members(&writer)
      writer.endObject()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
