import Testing

/// Returns the error of a type that a body throws. Anything else that the body does is an issue.
///
/// `#expect(throws:)` returns the error only since Swift 6.1.
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
