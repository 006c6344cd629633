/// A call that still awaits its last reply, or whose replies wait for an earlier call.
struct PendingCall {
  let token: CallToken
  /// Whether the handler gave the last reply.
  var hasEnded = false
  /// The replies that wait until the earlier calls have ended.
  var delayedReplies: [UInt8] = []
}

/// A queue of the calls that await replies. Only the replies of the first call are sent.
struct PendingCalls {
  private var calls: [PendingCall] = []
  /// The number of removed calls that are still at the front of `calls`.
  private var removedCount = 0

  var isEmpty: Bool { removedCount == calls.count }
  var count: Int { calls.count - removedCount }

  mutating func append(_ token: CallToken) {
    calls.append(PendingCall(token: token))
  }

  /// Returns the index of a call in the queue; nil when it awaits no reply.
  func index(of token: CallToken) -> Int? {
    guard let first, token.sequence >= first.token.sequence else { return nil }
    let distance = token.sequence - first.token.sequence
    guard distance < UInt64(count) else { return nil }
    let call = calls[removedCount + Int(distance)]
    return call.token == token && !call.hasEnded ? Int(distance) : nil
  }

  /// The call whose replies are sent.
  var first: PendingCall? {
    isEmpty ? nil : calls[removedCount]
  }

  /// Keeps a reply until the earlier calls have ended.
  mutating func delay(_ reply: UnsafeRawBufferPointer, at index: Int) {
    calls[removedCount + index].delayedReplies.append(contentsOf: reply)
  }

  /// Marks a call as ended by its last reply.
  mutating func end(at index: Int) {
    calls[removedCount + index].hasEnded = true
  }

  /// Removes and returns the delayed replies of the first call.
  mutating func takeDelayedReplies() -> [UInt8] {
    guard !isEmpty else { return [] }
    defer { calls[removedCount].delayedReplies = [] }
    return calls[removedCount].delayedReplies
  }

  mutating func removeFirst() {
    removedCount += 1
    if removedCount == calls.count || (removedCount >= 64 && removedCount * 2 >= calls.count) {
      calls.removeFirst(removedCount)
      removedCount = 0
    }
  }
}
