import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `List`: the states of open sessions, one per reply.
///
/// It looks each session up when there is room for its state. So it holds no states, and a turn examines a bounded number of
/// sessions.
final class StateListing: ReplyStream {
  private let channel: ReplyChannel
  private let history: History
  private let user: UInt32?
  private let matches: (Session) -> Bool
  private let sessionsPerTurn: Int
  /// The sessions that are still to be found; `nil` before the answer begins.
  private var cursor: SessionCursor?
  /// The session that was found last. Its reply has to say whether another one follows.
  private var found: SessionID?

  /// - Parameters:
  ///   - user: The user whose sessions may match; `nil` for everyone's.
  ///   - sessionsPerTurn: How many sessions may be matched before other users get their turn.
  init(
    _ history: History, _ channel: ReplyChannel, of user: UInt32? = nil,
    sessionsPerTurn: Int = SessionCursor.sessionsPerTurn, where matches: @escaping (Session) -> Bool
  ) {
    self.history = history
    self.channel = channel
    self.user = user
    self.matches = matches
    self.sessionsPerTurn = sessionsPerTurn
  }

  var wantsRoom: Bool { true }

  var mayRestart: Bool { cursor == nil }

  func advance() -> StreamProgress {
    var cursor = cursor ?? SessionCursor(user: user, through: history.horizon.position)
    defer { self.cursor = cursor }
    var budget = sessionsPerTurn
    while channel.outputCount <= channel.outputLimit {
      guard let session = cursor.next(in: history.horizon, budget: &budget, where: matches) else {
        if budget == 0 { return .working }
        sendFound(continues: false)
        return .ended
      }
      if found != nil { sendFound(continues: true) }
      found = session.id
    }
    return .waiting
  }

  /// Sends the state of the session that was found last. If it was closed since, only the last reply says so, by naming none.
  private func sendFound(continues: Bool) {
    defer { found = nil }
    guard let session = found.flatMap({ history.horizon[$0] }) else {
      if !continues { channel.send(continues: false) }
      return
    }
    channel.send(continues: continues) { writer in
      writer.key("state")
      session.state.write(to: &writer, as: session.identity(at: session.lastPosition))
    }
  }

  func sendHeartbeat() { channel.send() }

  func handOver() -> StreamHandOver { cursor == nil ? .restarts : .impossible }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {}
}
