import JSON
import ScrollModel

/// What the host tells the extension. Each is one message, with its name as `type`.
enum HostMessage {
  /// The session is open at the daemon, which expects this number next.
  case opened(SessionID, nextNumber: Int64)
  /// The daemon has stored the session's events before a number.
  case stored(SessionID, nextNumber: Int64)
  /// Too much waits for the daemon: the batch that begins at a number was not accepted. Send it, and
  /// what follows it, again after `stored` or `daemon`.
  case full(SessionID, number: Int64)
  /// The daemon refuses the session for now, and the host tries again.
  case refused(SessionID, error: String)
  /// The session is over, with a reason; `dropped` events were not stored.
  case ended(SessionID, reason: String, dropped: Int)
  /// An operation of the extension was wrong.
  case invalid(SessionID?, error: String)
  /// Whether the daemon is there; what the host has dropped since its start; and why the daemon is away.
  case daemon(connected: Bool, address: String, dropped: Int, error: String?)
  /// What came of `forget`.
  case forgotten(sessions: Int, records: Int64, error: String?)

  /// Writes the members of the message.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .opened(let session, let nextNumber):
      writer.member("type", "opened")
      writer.member("session", session.description)
      writer.member("nextNumber", nextNumber)
    case .stored(let session, let nextNumber):
      writer.member("type", "stored")
      writer.member("session", session.description)
      writer.member("nextNumber", nextNumber)
    case .full(let session, let number):
      writer.member("type", "full")
      writer.member("session", session.description)
      writer.member("number", number)
    case .refused(let session, let error):
      writer.member("type", "refused")
      writer.member("session", session.description)
      writer.member("error", error)
    case .ended(let session, let reason, let dropped):
      writer.member("type", "ended")
      writer.member("session", session.description)
      writer.member("reason", reason)
      writer.member("dropped", dropped)
    case .invalid(let session, let error):
      writer.member("type", "invalid")
      writer.member("session", ifPresent: session?.description)
      writer.member("error", error)
    case .daemon(let connected, let address, let dropped, let error):
      writer.member("type", "daemon")
      writer.member("connected", connected)
      writer.member("address", address)
      writer.member("dropped", dropped)
      writer.member("error", ifPresent: error)
    case .forgotten(let sessions, let records, let error):
      writer.member("type", "forgotten")
      writer.member("sessions", sessions)
      writer.member("records", records)
      writer.member("error", ifPresent: error)
    }
  }
}
