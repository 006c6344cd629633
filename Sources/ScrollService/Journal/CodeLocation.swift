// Where in the daemon's source an entry of the journal comes from.

/// Where in the daemon's source an entry of the journal comes from.
struct CodeLocation: Sendable {
  let file: StaticString
  let line: Int
  let function: StaticString
}
