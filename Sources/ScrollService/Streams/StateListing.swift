// The states of open sessions, one a reply.

import ScrollJSON
import ScrollLog
import Varlink

/// Answers `List`: the states of open sessions, one a reply.
final class StateListing: ReplyStream {
  let token: CallToken
  private let matches: (Session) -> Bool
  /// The sessions still to be sent, the next one last; `nil` before they are looked up.
  private var sessions: [Session]?

  init(token: CallToken, matches: @escaping (Session) -> Bool) {
    self.token = token
    self.matches = matches
  }

  var wantsRoom: Bool { true }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    var rest =
      sessions ?? service.projection.sessions.values.filter(matches).sorted { $0.openedPosition > $1.openedPosition }
    if rest.isEmpty {
      connection.varlink.reply(token)
      return .ended
    }
    while let session = rest.popLast() {
      connection.varlink.reply(token, continues: !rest.isEmpty) { writer in
        writer.key("state")
        session.state.write(to: &writer, as: session.identity(at: session.lastPosition))
      }
      if connection.varlink.outputCount > service.outputLimit(of: connection), !rest.isEmpty {
        sessions = rest
        return .waiting
      }
    }
    return .ended
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    connection.varlink.reply(token, continues: true)
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver {
    sessions == nil ? .beginsAnew : .impossible
  }

  func end(_ service: Service) {}
}
