import JSON
import Platform
import ScrollClient
import ScrollModel
import Varlink

/// How far the database has the log of a machine, and the name under which that was stored.
struct StoredPlace {
  let cursor: RelayCursor
  let name: String
}

/// A relay's connection to the daemon, on which it follows the log.
final class FollowConnection {
  private let socket: ClientSocket
  private let parser = JSONParser()

  /// Connects.
  ///
  /// - Throws: ``RelayProblem``.
  init(_ address: VarlinkAddress) throws(RelayProblem) {
    do { socket = try ClientSocket(address) } catch { throw .daemon("\(error)") }
  }

  var descriptor: Int32 { socket.descriptor }

  /// Calls `Follow` after a cursor.
  ///
  /// - Throws: ``RelayProblem``.
  func follow(_ cursor: RelayCursor, clients: [String]) throws(RelayProblem) {
    socket.connection.call("org.scrolld.Relay.Follow", .more) { writer in
      if !clients.isEmpty { writer.member("clients", clients) }
      guard cursor.position > 0 || cursor.generation > 0 else { return }
      writer.member("after", cursor.position)
      writer.member("generation", cursor.generation)
      writer.member("received", ifPresent: cursor.received)
      writer.member("run", ifPresent: cursor.run.map { "\($0)" })
    }
    try exchange()
  }

  /// Sends and receives what is possible now.
  ///
  /// - Throws: ``RelayProblem``.
  func exchange() throws(RelayProblem) {
    do { try socket.exchange(until: .now) } catch { throw .daemon("\(error)") }
  }

  /// Returns the next reply that was received; `nil` when there is none.
  ///
  /// - Throws: ``RelayProblem``, also when the stream has ended.
  func next(_ machine: MachineIdentity, _ stored: StoredPlace) throws(RelayProblem) -> FollowReply? {
    do {
      let reply: FollowReply? = try socket.connection.nextReply(using: parser) { reply in
        if let error = reply.error { throw Self.problem(error, machine, stored) }
        return try FollowReply(reply.parameterObject)
      }
      if reply == nil, socket.hasReceivedEnd { throw RelayProblem.daemon("it closed the connection") }
      return reply
    } catch let problem as RelayProblem {
      throw problem
    } catch {
      throw .daemon("\(error)")
    }
  }

  /// What an error of the daemon means for the relay.
  static func problem(_ error: VarlinkError, _ machine: MachineIdentity, _ stored: StoredPlace) -> RelayProblem {
    switch error.name {
    case "org.varlink.service.PermissionDenied": return .daemonDenied
    case "org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound": return .daemonTooOld
    case "org.scrolld.Observer.NoSuchPosition", "org.scrolld.Relay.OtherHistory":
      let finding =
        error.name == "org.scrolld.Relay.OtherHistory"
        ? "the log has another record there, or never had that one" : "the log ends before it"
      return .otherHistory(
        """
        the log of this machine, “\(machine.name)” (host \(CurrentProcess.hostName)), is not the one that the database has under the id \
        \(machine.id), from “\(stored.name)”: the database has position \(stored.cursor.position) of generation \
        \(stored.cursor.generation), and \(finding). If this machine is a clone, give it an id of its own \
        (systemd-machine-id-setup after removing /etc/machine-id); if its log was replaced, continue under a new id (Machine= in \
        scroll-relay.conf). Nothing was stored
        """)
    case "org.scrolld.Observer.LogDamaged":
      return .daemon("\(error.description); stop scrolld and run “scrollctl repair”, and the relay continues after it")
    default: return .daemon(error.description)
    }
  }

  /// Asks the daemon which sessions were forgotten, on a connection of its own, since this one is busy with the stream.
  ///
  /// - Throws: ``RelayProblem``.
  static func forgotten(_ sessions: [FollowedSession], at address: VarlinkAddress) throws(RelayProblem) -> [SessionID] {
    do {
      let socket = try ClientSocket(address)
      return try socket.call("org.scrolld.Relay.Forgotten", timeout: .seconds(10)) { writer in
        writer.key("sessions")
        writer.beginArray()
        for session in sessions {
          writer.beginObject()
          writer.member("session", "\(session.id)")
          writer.member("given", ifPresent: session.given.map { "\($0)" })
          writer.member("client", session.client)
          writer.member("user", session.user)
          writer.member("received", session.received)
          writer.endObject()
        }
        writer.endArray()
      } reply: { parameters in
        try parameters.stringArray("forgotten").compactMap { SessionID($0) }
      }
    } catch {
      throw .daemon("\(error)")
    }
  }
}
