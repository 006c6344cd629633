// A call that goes on over many turns of the loop.

import Varlink

/// What a piece of a stream's work came to.
enum StreamProgress {
  /// There is more to do at once.
  case working
  /// It waits: for something to happen, or for the reader to take what was sent.
  case waiting
  /// It has given its last reply.
  case ended
}

/// What becomes of a stream when the next daemon goes on with its connection.
enum StreamHandOver: Equatable {
  /// It goes on from this.
  case goesOn(ConnectionState.Stream)
  /// Nothing of it was sent yet, so the call is taken anew.
  case beginsAnew
  /// It is half way through an answer of its own: the connection ends.
  case impossible
}

/// A call that goes on over many turns of the loop, a bounded piece at a time: a subscription, a look into the log.
protocol ReplyStream: AnyObject {
  /// The call that the stream answers.
  var token: CallToken { get }

  /// Whether the stream has something to send as soon as there is room for it.
  var wantsRoom: Bool { get }

  /// Does a bounded piece of work. Called only while there is room for output.
  func advance(_ service: Service, _ connection: Connection) -> StreamProgress

  /// Says that the stream lives, as nothing was sent for a while.
  func heartbeat(_ service: Service, _ connection: Connection)

  /// What there is to hand over, at any moment. It may give out first what could not be told otherwise, however much.
  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver

  /// What there is to hand over when the stream is at rest: nothing of it waits to be sent. `nil` when it isn't.
  func rest(_ service: Service) -> ConnectionState.Stream?

  /// The stream's connection is gone, or the call has ended.
  func end(_ service: Service)
}

extension ReplyStream {
  func rest(_ service: Service) -> ConnectionState.Stream? { nil }
}
