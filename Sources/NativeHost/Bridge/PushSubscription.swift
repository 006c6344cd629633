import JSON
import ScrollModel
import Varlink

/// The subscription to the browser's own clients.
struct PushSubscription {
  /// The first parts of the names that it covers.
  private var prefixes: Set<String> = []

  /// Whether it covers too little.
  func needsChange(for prefixes: Set<String>) -> Bool { !prefixes.isSubset(of: self.prefixes) }

  /// Subscribes to the clients whose names have these first parts.
  mutating func begin(_ prefixes: Set<String>, over connection: ClientConnection) {
    self.prefixes = prefixes
    connection.call("org.scrolld.Observer.Subscribe", .more) { writer in
      writer.member("clients", prefixes.sorted().map { Self.quoted($0) + "/*" })
    }
  }

  /// The message for the browser that a reply becomes; `nil` for one that says nothing about the browser's sessions.
  ///
  /// A state and a transition both become `state`, since a bar draws what is, and `closed` stays what it is.
  func message(of reply: JSONObject?, isOwn: (SessionID) -> Bool) -> [UInt8]? {
    guard let reply else { return nil }
    for member in reply {
      let type: String
      switch member.name {
      case "state", "transition": type = "state"
      case "closed": type = "closed"
      default: continue
      }
      guard let object = member.value.asObject, let digits = object["session"]?.asText,
        let session = SessionID(digits: digits.bytes), isOwn(session)
      else { return nil }
      return JSONWriter.encode { writer in
        writer.beginObject()
        writer.member("type", type)
        for field in object {
          writer.key(utf8: field.name.bytes)
          field.value.write(to: &writer)
        }
        writer.endObject()
      }
    }
    return nil
  }

  /// A pattern that matches a text alone.
  private static func quoted(_ text: String) -> String {
    String(text.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
  }
}
