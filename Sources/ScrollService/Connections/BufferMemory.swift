/// The memory that connections' buffers take, and how it is divided among them.
final class BufferMemory {
  /// The most bytes that are received at once, so that other connections get their turn.
  static let largestReceipt = 64 << 10
  /// What every connection may buffer, however many share the memory, in bytes.
  private static let smallestPart = 4096

  var limits: ConnectionLimits
  /// How many connections share the memory.
  var connectionCount = 0
  /// What all connections hold, in bytes.
  private(set) var bufferedBytes = 0

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func add(_ bytes: Int, to share: UserShare) {
    share.bufferedBytes += bytes
    bufferedBytes += bytes
  }

  /// The limit that a user exceeds, with its configuration key.
  func exceededLimit(of share: UserShare) -> (bytes: Int, key: String)? {
    guard share.user != 0, share.bufferedBytes > 0, share.bufferedBytes + share.sessionBytes > limits.bufferPerUser
    else { return nil }
    return (limits.bufferPerUser, "BufferPerUserMax=")
  }

  /// The limit that all users together exceed, with its configuration key.
  var exceededLimit: (bytes: Int, key: String)? {
    bufferedBytes > limits.buffer ? (limits.buffer, "BufferMax=") : nil
  }

  func outputLimit(of share: UserShare) -> Int { min(limits.output, part(of: share)) }

  func receiptLimit(of share: UserShare) -> Int { min(Self.largestReceipt, part(of: share)) }

  /// One connection's part of an eighth of the memory of all users, and of what its user's sessions leave of the user's, in
  /// bytes.
  ///
  /// The output of a connection may reach four times this plus one message, so output takes about half of the limits,
  /// and waiting calls take another eighth. Only incomplete messages can exceed the limits.
  private func part(of share: UserShare) -> Int {
    var part = limits.buffer / (8 * max(1, connectionCount))
    if share.user != 0 {
      part = min(part, max(0, limits.bufferPerUser - share.sessionBytes) / (8 * max(1, share.connections)))
    }
    return max(Self.smallestPart, part)
  }
}
