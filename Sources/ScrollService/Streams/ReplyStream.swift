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

  /// The stream's connection is gone, or the call has ended.
  func end(_ service: Service)
}
