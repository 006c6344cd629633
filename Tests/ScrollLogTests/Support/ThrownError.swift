// The error that something throws, to look at.

import Testing

/// The error of a type that a body throws. Anything else that it does is an issue.
///
/// `#expect(throws:)` gives the error only from Swift 6.1 on.
func thrown<Failure: Error>(_ type: Failure.Type, _ body: () throws -> Void) throws -> Failure {
  do {
    try body()
  } catch let error as Failure {
    return error
  }
  Issue.record("no \(type) was thrown")
  throw NothingThrown()
}

private struct NothingThrown: Error {}
