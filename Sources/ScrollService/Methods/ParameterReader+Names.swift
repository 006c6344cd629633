import JSON
import ScrollLog
import ScrollModel
import Varlink

extension ParameterReader {
  /// Reads the parameter `session`.
  mutating func sessionID() throws(VarlinkError) -> SessionID {
    guard let id = SessionID(digits: try text("session").bytes) else { throw .invalidParameter("session") }
    return id
  }

  /// Reads the parameter `session`, which may be absent.
  mutating func optionalSessionID() throws(VarlinkError) -> SessionID? {
    guard let digits = try optionalText("session") else { return nil }
    guard let id = SessionID(digits: digits.bytes) else { throw .invalidParameter("session") }
    return id
  }

  /// Reads the parameter `user`, which may be absent.
  mutating func optionalUserID() throws(VarlinkError) -> UInt32? {
    guard let user = try optionalInt("user") else { return nil }
    guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
    return id
  }

  /// Reads an application's name, a title, a policy's name or a reason, which may be absent.
  ///
  /// - Throws: `TextTooLong` for one that has more bytes than the log takes.
  mutating func optionalBoundedString(_ name: StaticString) throws(VarlinkError) -> String? {
    let text = try optionalString(name)
    let limit = Opening.maximumTextLength
    if let text, text.utf8.count > limit {
      throw ServiceError.textTooLong("\(name)", limit: limit, given: text.utf8.count)
    }
    return text
  }

  /// Reads the parameters `sessions` and `clients`: a part of a list of what was forgotten.
  mutating func forgottenList() throws(VarlinkError) -> ForgottenList {
    var list = ForgottenList()
    for session in try array("sessions") {
      guard let id = Self.session(session["session"]), let time = session["time"]?.asInt64 else {
        throw .invalidParameter("sessions")
      }
      list.add(id, at: time)
    }
    for client in try array("clients") {
      guard let key = client["key"]?.asString, let hash = client["hash"]?.asString,
        let received = client["received"]?.asInt64
      else { throw .invalidParameter("clients") }
      var user: UInt32?
      if let value = client["user"], !value.isNull {
        guard let id = value.asInt64.flatMap({ UInt32(exactly: $0) }) else { throw .invalidParameter("clients") }
        user = id
      }
      var kept: Set<SessionID> = []
      if let value = client["except"], !value.isNull {
        guard let ids = value.asArray else { throw .invalidParameter("clients") }
        for digits in ids {
          guard let id = Self.session(digits) else { throw .invalidParameter("clients") }
          kept.insert(id)
        }
      }
      list.add(
        ForgottenList.Client(key: key, hash: hash, user: user), ForgottenList.Extent(received: received, except: kept))
    }
    return list
  }

  private static func session(_ value: JSONValue?) -> SessionID? {
    value?.asText.flatMap { SessionID(digits: $0.bytes) }
  }

  /// Reads a time in microseconds since the Unix epoch.
  mutating func time(_ name: StaticString) throws(VarlinkError) -> Int64 {
    let time = try int(name)
    guard (0...Event.latestTime).contains(time) else { throw .invalidParameter("\(name)") }
    return time
  }

  /// Reads a time in microseconds since the Unix epoch; `nil` when it is absent.
  mutating func optionalTime(_ name: StaticString) throws(VarlinkError) -> Int64? {
    guard let time = try optionalInt(name) else { return nil }
    guard (0...Event.latestTime).contains(time) else { throw .invalidParameter("\(name)") }
    return time
  }
}

extension Call {
  /// Checks that the call has no parameters.
  func requireNoParameters() throws(VarlinkError) { try parameters().finish() }
}
