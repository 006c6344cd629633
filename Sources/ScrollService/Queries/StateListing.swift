import JSON
import ScrollJSON
import ScrollLog
import Varlink

/// The answer to `List`: the states of open sessions, one per reply.
final class StateListing: ReplyStream {
  private let channel: ReplyChannel
  private let history: History
  private let matches: (Session) -> Bool
  /// The sessions that are still to be sent, the next one last; `nil` before they are looked up.
  private var sessions: [Session]?

  init(_ history: History, _ channel: ReplyChannel, where matches: @escaping (Session) -> Bool) {
    self.history = history
    self.channel = channel
    self.matches = matches
  }

  var wantsRoom: Bool { true }

  var mayRestart: Bool { sessions == nil }

  func advance() -> StreamProgress {
    var rest = sessions ?? history.horizon.sessions.filter(matches).sorted { $0.openedPosition > $1.openedPosition }
    if rest.isEmpty {
      channel.send(continues: false)
      return .ended
    }
    while let session = rest.popLast() {
      channel.send(continues: !rest.isEmpty) { writer in
        writer.key("state")
        session.state.write(to: &writer, as: session.identity(at: session.lastPosition))
      }
      if channel.outputCount > channel.outputLimit, !rest.isEmpty {
        sessions = rest
        return .waiting
      }
    }
    return .ended
  }

  func sendHeartbeat() { channel.send() }

  func handOver() -> StreamHandOver { sessions == nil ? .restarts : .impossible }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {}
}
