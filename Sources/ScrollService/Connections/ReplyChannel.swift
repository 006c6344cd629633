import JSON
import Varlink

/// A stream's access to its connection, limited to replies to the stream's own call.
struct ReplyChannel {
  private let connection: Connection
  private let token: CallToken

  init(_ connection: Connection, _ token: CallToken) {
    self.connection = connection
    self.token = token
  }

  var connectionID: ConnectionID { connection.id }
  var peer: Peer { connection.peer }
  /// The user for whose limits the connection counts.
  var account: UInt32 { connection.share.user }

  /// Sends a reply, after which more follow unless `continues` is `false`. The closure writes the members of the
  /// parameters.
  func send(continues: Bool = true, _ members: (inout JSONWriter) -> Void = { _ in }) {
    connection.reply(token, continues: continues, members)
  }

  /// Sends a reply with parameters that are already encoded.
  func send(continues: Bool = true, encoded buffer: borrowing ByteBuffer) {
    buffer.withUnsafeReadableBytes { connection.reply(token, continues: continues, encoded: $0) }
  }

  /// Sends a reply with parameters that are already encoded.
  func send(encoded bytes: [UInt8]) {
    bytes.withUnsafeBytes { connection.reply(token, continues: true, encoded: $0) }
  }

  /// Ends the call with an error.
  func fail(_ error: VarlinkError) { connection.reply(token, error: error) }

  /// Ends the call with an answer.
  func answer(_ content: Answer.Content, _ terms: AnswerTerms) {
    connection.send(Answer(caller: Caller(connection: connection.id, token: token), content: content), terms)
  }

  /// How many bytes of output are not sent yet.
  var outputCount: Int { connection.outputCount }
  /// How many bytes of output may wait before the stream pauses.
  var outputLimit: Int { connection.outputLimit }
}
