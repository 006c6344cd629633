/// Events of a session that travel together: valid, and already encoded as the daemon reads them.
struct EventBatch: Equatable {
  /// The most events in a batch, which is as many as the daemon takes in a call.
  static let maximumCount = 4096

  /// The number of the first event in its session.
  let number: Int64
  /// How many events it has.
  let count: Int
  /// The JSON array of the events.
  let json: [UInt8]

  /// The number of the event after the last one.
  var end: Int64 { number + Int64(count) }
}
