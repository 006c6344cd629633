/// Returns the error that a closure throws. Swift 6.0's `#require(throws:)` returns nothing.
///
/// - Throws: ``NothingThrown``, or an error of another type.
public func thrown<Failure: Error, Result>(_ type: Failure.Type, by body: () throws -> Result) throws -> Failure {
  do {
    _ = try body()
  } catch let error as Failure {
    return error
  }
  throw NothingThrown()
}

/// A closure was to throw, and returned.
public struct NothingThrown: Error {}
