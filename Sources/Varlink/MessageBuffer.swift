// Cuts a stream of bytes into messages: one JSON text each, then one NUL byte.

import JSON
import Platform

/// Received bytes, and where the first message among them ends.
struct MessageBuffer: ~Copyable {
  /// The longest message, in bytes, without its NUL.
  let maximumMessageSize: Int
  private var bytes = ByteBuffer()
  /// How many of the bytes are known to hold no NUL.
  private var searched = 0

  init(maximumMessageSize: Int) {
    self.maximumMessageSize = maximumMessageSize
  }

  var count: Int { bytes.count }

  /// How many bytes there are of a message that is not whole, as far as that is known.
  var unfinishedCount: Int { searched == bytes.count ? searched : 0 }

  /// A copy of all that was received and not consumed.
  var contents: [UInt8] { bytes.bytes }

  mutating func append(_ received: UnsafeRawBufferPointer) {
    bytes.append(received)
  }

  mutating func removeAll() {
    bytes.removeAll()
    searched = 0
  }

  /// The length of the first message without its NUL; nil when none is complete.
  ///
  /// - Throws: `messageTooLong` when the first message is, complete or not.
  mutating func firstMessageLength() throws(ProtocolViolation) -> Int? {
    let searchedBefore = searched
    let found = bytes.withUnsafeReadableBytes { $0.firstOffset(of: 0, from: searchedBefore) }
    searched = found ?? bytes.count
    guard searched <= maximumMessageSize else { throw .messageTooLong(limit: maximumMessageSize) }
    return found
  }

  /// Calls `body` with the first `length` bytes, behind which there is slack.
  func withMessage<R>(length: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    bytes.withUnsafeReadableBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
  }

  /// Takes the first message, of `length` bytes, and its NUL away.
  mutating func consume(messageLength length: Int) {
    bytes.consume(length + 1)
    searched = 0
  }
}
