/// The limits on connections that the configuration sets.
struct ConnectionLimits {
  var connections: Int
  var connectionsPerUser: Int
  var eventsPerSecond: Int
  /// Bytes.
  var messageSize: Int
  /// How much output may wait for one connection, in bytes.
  var output: Int
  /// How much all connections may buffer, in bytes.
  var buffer: Int
  /// How much one user's connections may buffer, in bytes.
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

  /// How many bytes of incomplete messages one user may send in a second: half of what they may buffer.
  ///
  /// It is of no benefit to receive ever more of an incomplete message, and to fill memory only to free it at the limit
  /// costs other users time. A user who completes messages, however large, stays far below this rate.
  var unfinishedBytesPerSecond: Int { min(bufferPerUser / 2, 1 << 40) }
}
