/// The limits on connections that the configuration sets.
struct ConnectionLimits {
  var connections: Int
  var connectionsPerUser: Int
  var eventsPerSecond: Int
  /// Bytes.
  var messageSize: Int
  /// What may wait to be sent to one connection, in bytes.
  var output: Int
  /// What all connections may hold, in bytes.
  var buffer: Int
  /// What one user's connections may hold, in bytes.
  var bufferPerUser: Int

  init(_ configuration: Configuration) {
    connections = configuration.maximumConnections
    connectionsPerUser = configuration.maximumConnectionsPerUser
    eventsPerSecond = configuration.maximumEventsPerSecond
    messageSize = configuration.maximumMessageSize
    output = configuration.maximumOutput
    buffer = configuration.bufferLimit
    bufferPerUser = configuration.bufferLimitPerUser
  }

  /// How many connections of one user may violate the protocol in a second.
  var violationsPerSecond: Int { 100 }

  /// How many bytes of unfinished messages one user may send in a second: half of what may be held of them.
  ///
  /// Taking in ever more of what is no message yet helps nobody, and memory that is filled and then dropped at the limit
  /// costs other users time. A user who sends messages, however large, stays far below it.
  var unfinishedBytesPerSecond: Int { min(bufferPerUser / 2, 1 << 40) }
}
