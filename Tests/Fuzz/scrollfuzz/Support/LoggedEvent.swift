import ScrollModel

@testable import ScrollLog

/// The encoding of an event in the log, and back.
enum LoggedEvent {
  /// Returns whether an event is decoded unchanged.
  static func comesBack(_ event: Event) throws -> Bool {
    var builder = BlockBuilder(nextPosition: 1, received: 0, capacity: 512)
    builder.beginRun(SessionID(high: 1, low: 2), firstNumber: 1)
    builder.append(event)
    builder.endRun()
    guard let block = builder.finish(received: 0) else { return false }
    var records = block.view.records()
    guard let stored = try records.next() else { return false }
    return try stored.record == .event(event, number: 1) && records.next() == nil
  }
}
