// A promise that the log broke.

/// A promise that the log broke, in words.
struct Problem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Ends a case with a problem unless a promise is kept.
func require(_ isKept: Bool, _ broken: @autoclosure () -> String) throws {
  if !isKept { throw Problem(broken()) }
}

/// Ends a case with a problem unless two values are equal.
func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
  if found != expected { throw Problem("\(what()) is \(found), not \(expected)") }
}
