/// A broken promise of the log, as text for people.
struct Problem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a problem unless a condition holds.
func require(_ isKept: Bool, _ broken: @autoclosure () -> String) throws {
  if !isKept { throw Problem(broken()) }
}

/// Throws a problem unless two values are equal.
func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
  if found != expected { throw Problem("\(what()) is \(found), not \(expected)") }
}
