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
    guard !isEmpty, token.sequence >= calls[gone].token.sequence else { return nil }
    let index = token.sequence - calls[gone].token.sequence
    guard index < UInt64(count), self[Int(index)].token == token, !self[Int(index)].hasEnded else { return nil }
    return Int(index)
  }

  subscript(index: Int) -> PendingCall {
    get { calls[gone + index] }
    _modify { yield &calls[gone + index] }
  }

  mutating func removeFirst() {
    calls[gone].held = []
    gone += 1
    if gone == calls.count {
      calls.removeAll(keepingCapacity: true)
      gone = 0
    } else if gone >= 64 && gone * 2 >= calls.count {
      calls.removeFirst(gone)
      gone = 0
    }
  }
}
