// Scroll requests for one client.

import ScrollJSON
import ScrollModel
import Varlink

/// Answers `Requests`: gives a client the scroll requests that it has not answered, and each further one as it comes.
final class RequestStream: ReplyStream {
  let token: CallToken
  let connection: Connection.ID
  private let session: IntakeSession
  private var hasBegun = false
  /// The position of the last request that was sent.
  private var sent: Position = 0

  init(token: CallToken, connection: Connection.ID, session: IntakeSession) {
    self.token = token
    self.connection = connection
    self.session = session
  }

  /// A stream that goes on from where another daemon left it.
  convenience init(
    token: CallToken, connection: Connection.ID, session: IntakeSession, resuming state: RequestsState
  ) {
    self.init(token: token, connection: connection, session: session)
    hasBegun = state.hasBegun
    sent = state.sent
  }

  var wantsRoom: Bool { session.firstRequest(after: sent) != nil }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    if !hasBegun {
      hasBegun = true
      // Says that the stream stands, so that who asks the client to scroll finds it listening.
      connection.varlink.reply(token, continues: true)
    }
    while connection.varlink.outputCount <= service.outputLimit(of: connection) / 2,
      let (position, request) = session.firstRequest(after: sent)
    {
      send(position, request, connection)
      sent = position
    }
    return .waiting
  }

  private func send(_ position: Position, _ request: ScrollRequest, _ connection: Connection) {
    connection.varlink.reply(token, continues: true) { writer in
      writer.key("request")
      writer.beginObject()
      writer.member("request", position)
      request.target.writeMembers(to: &writer)
      writer.endObject()
    }
  }

  /// The session ended, and with it the stream.
  func sessionClosed(_ service: Service) {
    end(with: ServiceError.sessionClosed, service)
  }

  /// There was no space for the session's opening, so there is no session.
  func refused(_ service: Service) {
    end(with: ServiceError.recorderNoSpace, service)
  }

  /// The client asked for its requests anew, on this or another connection: the newest stream gets them.
  func replaced(_ service: Service) {
    end(with: ServiceError.requestsTakenOver, service)
  }

  private func end(with error: VarlinkError, _ service: Service) {
    guard let connection = service.connections[connection] else { return }
    connection.varlink.reply(token, error: error)
    service.endStream(of: connection)
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    connection.varlink.reply(token, continues: true)
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver { .goesOn(state) }

  func rest(_ service: Service) -> ConnectionState.Stream? { hasBegun && !wantsRoom ? state : nil }

  private var state: ConnectionState.Stream {
    .requests(
      RequestsState(session: session.id, hasBegun: hasBegun, sent: sent, unanswered: session.unansweredRequests))
  }

  func end(_ service: Service) {
    if session.requestStream === self { session.requestStream = nil }
  }
}
