import JSON
import Platform
import ScrollModel
import Varlink

/// Sessions that the user wants forgotten.
struct Forgetting {
  /// The most sessions in a call.
  static let sessionsPerCall = 1000

  private var waiting: [SessionID] = []
  /// How many of the sessions the call under way forgets; 0 without one.
  private var asked = 0
  private var sessions = 0
  private var records: Int64 = 0

  /// Whether sessions are left.
  var isPending: Bool { !waiting.isEmpty }

  mutating func add(_ ids: [SessionID]) { waiting += ids }

  /// Asks the daemon to forget the next sessions, unless a call is under way.
  mutating func begin(over connection: ClientConnection) {
    guard asked == 0, isPending else { return }
    asked = min(waiting.count, Self.sessionsPerCall)
    let now = Clock.wallMicroseconds()
    connection.call("org.scrolld.Manager.ForgetListed") { [part = waiting.prefix(asked)] writer in
      writer.key("sessions")
      writer.beginArray()
      for id in part {
        writer.beginObject()
        writer.member("session", id.description)
        writer.member("time", now)
        writer.endObject()
      }
      writer.endArray()
      writer.key("clients")
      writer.beginArray()
      writer.endArray()
    }
  }

  /// Records that the daemon has forgotten what the call asked for.
  mutating func confirm(records: Int64) {
    sessions += asked
    self.records += records
    waiting.removeFirst(asked)
    asked = 0
  }

  /// Records that the connection is lost. The call is repeated over the next one, and forgetting twice does no harm.
  mutating func suspend() { asked = 0 }

  /// Drops the sessions that are left.
  mutating func giveUp() {
    waiting = []
    asked = 0
  }

  /// Takes the sums since the last call.
  mutating func takeResult() -> (sessions: Int, records: Int64) {
    defer { (sessions, records) = (0, 0) }
    return (sessions, records)
  }
}
