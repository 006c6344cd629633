/// The limits on connections that the configuration sets.
struct ConnectionLimits {
  var connections: Int
  var connectionsPerUser: Int
  var eventsPerSecond: Int
  /// How many bytes of the log one user's records may take per second.
  var bytesPerSecond: Int
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
    bytesPerSecond = configuration.maximumBytesPerSecond
    messageSize = configuration.maximumMessageSize
    output = configuration.maximumOutput
    buffer = configuration.bufferLimit
    bufferPerUser = configuration.bufferLimitPerUser
  }

  /// How much the pushes to one user's live subscriptions may take, in bytes, and the lists of which of them watches what.
  var pushMemory: Int { min(4 << 20, bufferPerUser / 4) }

  /// How many of some number of connections are only for root and managers, and how many others only for users who have none
  /// yet: a sixteenth each.
  static func reserve(of connections: Int) -> Int { connections / 16 }

  /// How many connections of one user may violate the protocol in a second.
  var violationsPerSecond: Int { 100 }

  /// How many bytes of incomplete messages one user may send in a second: half of what they may buffer.
  ///
  /// It is of no benefit to receive ever more of an incomplete message, and to fill memory only to free it at the limit
  /// costs other users time. A user who completes messages, however large, stays far below this rate.
  var unfinishedBytesPerSecond: Int { min(bufferPerUser / 2, 1 << 40) }
}
