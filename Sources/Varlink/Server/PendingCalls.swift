// The calls of a connection that await replies, in their order.

/// A queue of calls, the first of which is the one whose replies go out.
struct PendingCalls {
  private var calls: [PendingCall] = []
  /// How many at the front of `calls` have gone.
  private var gone = 0

  var isEmpty: Bool { gone == calls.count }
  var count: Int { calls.count - gone }

  mutating func append(_ token: CallToken) {
    calls.append(PendingCall(token: token))
  }

  /// The place of a call in the queue, 0 for the first; nil when it awaits no reply.
  func index(of token: CallToken) -> Int? {
    guard let first, token.sequence >= first.token.sequence else { return nil }
    let distance = token.sequence - first.token.sequence
    guard distance < UInt64(count) else { return nil }
    let call = calls[gone + Int(distance)]
    return call.token == token && !call.hasEnded ? Int(distance) : nil
  }

  /// The call whose replies go out.
  var first: PendingCall? {
    isEmpty ? nil : calls[gone]
  }

  /// Keeps a reply until the calls before its own have ended.
  mutating func hold(_ reply: UnsafeRawBufferPointer, at index: Int) {
    calls[gone + index].held.append(contentsOf: reply)
  }

  /// Marks that a call got its last reply.
  mutating func end(at index: Int) {
    calls[gone + index].hasEnded = true
  }

  /// What the first call held back, which it holds no longer.
  mutating func releaseFirst() -> [UInt8] {
    guard !isEmpty else { return [] }
    defer { calls[gone].held = [] }
    return calls[gone].held
  }

  mutating func removeFirst() {
    gone += 1
    if gone == calls.count || (gone >= 64 && gone * 2 >= calls.count) {
      calls.removeFirst(gone)
      gone = 0
    }
  }
}
