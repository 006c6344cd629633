// An event through the log's encoding and back.

import ScrollModel

@testable import ScrollLog

/// An event through the log's encoding and back.
enum LoggedEvent {
  /// Whether the event comes back the same.
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
