import JSON
import Platform

/// The received bytes of a connection, split into messages: a JSON text each, followed by a NUL byte.
struct MessageBuffer: ~Copyable {
  /// The maximum length of a message, in bytes, without its NUL.
  let maximumMessageSize: Int
  private var bytes = ByteBuffer()
  /// The number of leading bytes that are known to contain no NUL.
  private var searched = 0

  init(maximumMessageSize: Int) {
    self.maximumMessageSize = maximumMessageSize
  }

  var count: Int { bytes.count }

  /// The number of bytes of an incomplete message, as far as the bytes were searched.
  var unfinishedCount: Int { searched == bytes.count ? searched : 0 }

  /// A copy of the bytes that were received and not consumed.
  var contents: [UInt8] { bytes.bytes }

  mutating func append(_ received: UnsafeRawBufferPointer) {
    bytes.append(received)
  }

  mutating func removeAll() {
    bytes.removeAll()
    searched = 0
  }

  /// Returns the length of the first message without its NUL; nil when no message is complete.
  ///
  /// - Throws: `messageTooLong`, even before the message is complete.
  mutating func firstMessageLength() throws(ProtocolViolation) -> Int? {
    let searchedBefore = searched
    let found = bytes.withUnsafeReadableBytes { $0.firstOffset(of: 0, from: searchedBefore) }
    searched = found ?? bytes.count
    guard searched <= maximumMessageSize else { throw .messageTooLong(limit: maximumMessageSize) }
    return found
  }

  /// Calls `body` with the first `length` bytes, which `ByteBuffer.slack` readable bytes follow.
  func withMessage<R>(length: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    bytes.withUnsafeReadableBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
  }

  /// Removes the first message, of `length` bytes, and its NUL.
  mutating func consume(messageLength length: Int) {
    bytes.consume(length + 1)
    searched = 0
  }
}
