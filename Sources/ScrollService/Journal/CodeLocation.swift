/// The place in the daemon's source that an entry of the journal comes from.
struct CodeLocation: Sendable {
  let file: StaticString
  let line: Int
  let function: StaticString
}
