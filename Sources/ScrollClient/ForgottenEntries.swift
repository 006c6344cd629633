internal import JSON
import ScrollModel

/// Entries of a list of what was forgotten.
public struct ForgottenEntries: Equatable, Sendable {
  /// A session.
  public struct Session: Equatable, Sendable {
    /// Its id.
    public var id: SessionID
    /// When it was forgotten.
    public var time: UnixMicroseconds

    /// Creates an entry from its parts.
    public init(id: SessionID, time: UnixMicroseconds) {
      self.id = id
      self.time = time
    }
  }

  /// A client, whose name only the daemon can recognize.
  public struct Client: Equatable, Sendable {
    /// The id of the key that made the hash.
    public var key: String
    /// The keyed hash of the client's name.
    public var hash: String
    /// The user whose client it was; `nil` for the clients of that name of all users.
    public var user: UInt32?
    /// All sessions that the daemon had opened up to this time were forgotten.
    public var received: UnixMicroseconds
    /// The sessions that were kept, because the client had come back.
    public var except: [SessionID]

    /// Creates an entry from its parts.
    public init(key: String, hash: String, user: UInt32?, received: UnixMicroseconds, except: [SessionID]) {
      self.key = key
      self.hash = hash
      self.user = user
      self.received = received
      self.except = except
    }
  }

  /// The sessions.
  public var sessions: [Session]
  /// The clients.
  public var clients: [Client]

  /// Creates a list of entries.
  public init(sessions: [Session] = [], clients: [Client] = []) {
    self.sessions = sessions
    self.clients = clients
  }

  func write(to writer: inout JSONWriter) {
    writer.key("sessions")
    writer.beginArray()
    for session in sessions {
      writer.beginObject()
      session.writeMembers(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("clients")
    writer.beginArray()
    for client in clients {
      writer.beginObject()
      client.writeMembers(to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension ForgottenEntries.Session {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("session", id)
    writer.member("time", time.rawValue)
  }
}

extension ForgottenEntries.Client {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("key", key)
    writer.member("hash", hash)
    writer.member("user", ifPresent: user)
    writer.member("received", received.rawValue)
    writer.member("except", ifPresent: except.isEmpty ? nil : except)
  }
}
