import JSON
import Varlink

/// The way a stream sends replies to its own call, and nothing else of the connection.
struct ReplyChannel {
  private let connection: Connection
  private let token: CallToken

  init(_ connection: Connection, _ token: CallToken) {
    self.connection = connection
    self.token = token
  }

  var connectionID: ConnectionID { connection.id }
  var peer: Peer { connection.peer }

  /// Sends a reply with members of an object that is begun already; more replies follow unless `continues` is false.
  func send(continues: Bool = true, _ members: (inout JSONWriter) -> Void = { _ in }) {
    connection.reply(token, continues: continues, members)
  }

  /// Sends a reply with the object in a buffer.
  func send(continues: Bool = true, encoded buffer: borrowing ByteBuffer) {
    buffer.withUnsafeReadableBytes { connection.reply(token, continues: continues, encoded: $0) }
  }

  /// Ends the call with an error.
  func fail(_ error: VarlinkError) { connection.reply(token, error: error) }

  /// Ends the call with an answer.
  func give(_ content: Answer.Content, _ terms: AnswerTerms) {
    connection.give(Answer(caller: Caller(connection: connection.id, token: token), content: content), terms)
  }

  /// Bytes that the peer has not read yet.
  var outputCount: Int { connection.outputCount }
  /// How many such bytes there may be before the stream has to wait.
  var outputLimit: Int { connection.outputLimit }
}
