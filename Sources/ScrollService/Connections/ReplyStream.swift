import Varlink

/// The outcome of one step of a stream.
enum StreamProgress {
  /// There is more to do at once.
  case working
  /// It waits for news, or for the peer to read what was sent.
  case waiting
  /// It has sent its last reply.
  case ended
}

/// What the next daemon does with a stream.
enum StreamHandOver: Equatable {
  /// It resumes the stream from this state.
  case resumes(ConnectionState.Stream)
  /// It takes the call again, since no reply was sent.
  case restarts
  /// It can't: replies of a finite answer are missing, so the connection ends.
  case impossible
}

/// The answer to a call that takes many turns of the loop: a subscription, a query of the log.
///
/// A stream holds the parts that it needs and the channel to its own caller. It ends with `end()`, exactly once.
protocol ReplyStream: AnyObject {
  /// Whether the stream has replies that only wait for room.
  var wantsRoom: Bool { get }

  /// Does a bounded amount of work. Called only while there is room for output.
  func advance() -> StreamProgress

  /// Sends a sign of life after a while without output.
  func sendHeartbeat()

  /// Prepares the stream for the next daemon. It may first send what can't be handed over, whatever the limits.
  func handOver() -> StreamHandOver

  /// The state from which the next daemon could resume after a crash; `nil` while there is work under way.
  var idleState: ConnectionState.Stream? { get }

  /// Ends the call with an error.
  func fail(_ error: VarlinkError)

  /// Releases what the stream holds: its connection is gone, or the call has ended.
  func end()
}

extension ReplyStream {
  var idleState: ConnectionState.Stream? { nil }
}
