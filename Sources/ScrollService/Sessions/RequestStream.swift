import JSON
import ScrollJSON
import ScrollModel
import Varlink

/// The answer to `Requests`: a client's unanswered scroll requests, then each further one as it arrives.
final class RequestStream: ReplyStream {
  private let channel: ReplyChannel
  private let session: OpenSession
  private var hasBegun: Bool
  /// The position of the last request that was sent.
  private var sent: Position

  init(_ session: OpenSession, _ channel: ReplyChannel) {
    self.session = session
    self.channel = channel
    hasBegun = false
    sent = 0
  }

  /// Resumes a stream of the previous daemon.
  init(_ session: OpenSession, _ channel: ReplyChannel, resuming state: RequestsState) {
    self.session = session
    self.channel = channel
    hasBegun = state.hasBegun
    sent = state.sent
  }

  var wantsRoom: Bool { session.requests.first(after: sent) != nil }

  var mayRestart: Bool { false }

  func advance() -> StreamProgress {
    if !hasBegun {
      hasBegun = true
      // The reply confirms the stream before anyone asks the client to scroll.
      channel.send()
    }
    while channel.outputCount <= channel.outputLimit / 2, let next = session.requests.first(after: sent) {
      channel.send { writer in
        writer.key("request")
        writer.beginObject()
        writer.member("request", next.position)
        next.request.target.writeMembers(to: &writer)
        writer.endObject()
      }
      sent = next.position
    }
    return .waiting
  }

  func sendHeartbeat() { channel.send() }

  func handOver() -> StreamHandOver { .resumes(state) }

  var idleState: ConnectionState.Stream? { hasBegun && !wantsRoom ? state : nil }

  private var state: ConnectionState.Stream {
    .requests(
      RequestsState(session: session.id, hasBegun: hasBegun, sent: sent, unanswered: session.requests.unanswered))
  }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() {
    if session.requests.reader == channel.connectionID { session.requests.reader = nil }
  }
}
