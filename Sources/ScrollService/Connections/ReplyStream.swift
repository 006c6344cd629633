import Varlink

/// The outcome of one step of a stream.
enum StreamProgress {
  /// The stream can continue at once.
  case working
  /// The stream waits for news, or for the peer to read.
  case waiting
  /// The stream has sent its last reply.
  case ended
}

/// How the next daemon continues a stream.
enum StreamHandOver: Equatable {
  /// From a state.
  case resumes(ConnectionState.Stream)
  /// By handling the call again, because no reply was sent.
  case restarts
  /// Not at all: a finite answer lacks replies, so the connection ends.
  case impossible
}

/// The answer to a call that takes many turns of the loop: a subscription, a query of the log.
///
/// A stream holds the parts that it needs and the channel to its own caller. `end()` is called exactly once.
protocol ReplyStream: AnyObject {
  /// Whether the stream has more replies as soon as there is room for output.
  var wantsRoom: Bool { get }

  /// Does a bounded amount of work. Called only while there is room for output.
  func advance() -> StreamProgress

  /// Sends a heartbeat after a while without output.
  func sendHeartbeat()

  /// Whether the next daemon may have to handle the call again. Once that is false, the text of the call is released.
  var mayRestart: Bool { get }

  /// How much memory the stream holds beside its connection's buffers, in bytes.
  var heldBytes: Int { get }

  /// Prepares the stream for the next daemon. It may first send what can't be handed over, regardless of limits.
  func handOver() -> StreamHandOver

  /// The state from which the next daemon could resume the stream after a crash; `nil` while the stream is busy.
  var idleState: ConnectionState.Stream? { get }

  /// Ends the call with an error.
  func fail(_ error: VarlinkError)

  /// Releases what the stream holds, because its connection is gone or the call has ended.
  func end()
}

extension ReplyStream {
  var mayRestart: Bool { true }

  var heldBytes: Int { 0 }

  var idleState: ConnectionState.Stream? { nil }
}
