import JSON
import ScrollModel

extension FoldState {
  /// Writes the state as a JSON object, without unknown values.
  public func write(to writer: inout JSONWriter, as identity: StateIdentity) {
    writer.beginObject()
    writeMembers(to: &writer, as: identity)
    writer.endObject()
  }

  /// Writes the state and what its last event changed as a flat JSON object.
  ///
  /// - Parameter place: Where the event is, for a transition that was folded again.
  public func writeTransition(
    to writer: inout JSONWriter, as identity: StateIdentity, _ step: Policy.Step, at place: FoldPlace? = nil
  ) {
    writer.beginObject()
    place?.writeMembers(to: &writer)
    writeMembers(to: &writer, as: identity)
    writer.key("changed")
    writer.beginArray()
    for field in Field.watched where step.changed.contains(field.declaration.watched) {
      writer.string(utf8: field.name.bytes)
    }
    writer.endArray()
    writer.member("reason", ifPresent: step.reason?.description)
    writer.endObject()
  }

  private func writeMembers(to writer: inout JSONWriter, as identity: StateIdentity) {
    writer.member("client", ifPresent: identity.client)
    writer.member("user", ifPresent: identity.user)
    if let session = identity.session { writer.member("session", session) }
    writer.member("position", ifPresent: identity.position)
    for field in Field.allCases { writer.member(field.name, ifPresent: self[field]) }
    writer.member("policy", identity.policy)
  }
}

extension FoldState.Value: JSONWritable {
  /// Writes the value.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .integer(let value): writer.int(value)
    case .number(let value): writer.double(value)
    case .flag(let value): writer.bool(value)
    case .toolbar(let value): writer.string(utf8: value.name.bytes)
    case .trigger(let value): writer.string(utf8: value.name.bytes)
    }
  }
}

extension SessionID: JSONWritable {
  /// Writes the 32 digits.
  public func write(to writer: inout JSONWriter) {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { digits in
      for index in 0..<16 {
        let shift = UInt64(60 - 4 * index)
        digits[index] = Self.digit(high >> shift & 15)
        digits[index + 16] = Self.digit(low >> shift & 15)
      }
      writer.string(utf8: UnsafeRawBufferPointer(digits))
    }
  }

  private static func digit(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 10 ? 0x30 + value : 0x57 + value)
  }
}
