import JSON

/// Splits a browser's bytes into messages: a 32-bit length in the machine's byte order, then a JSON text of that length.
///
/// The reader stops at the first frame that breaks the rules, since nothing tells where the next one would begin.
struct FrameReader: ~Copyable {
  /// The longest text, in bytes. The extension keeps its messages under 256 KiB, so a longer one is no message of it.
  static let maximumLength = 1024 * 1024
  /// The number of bytes before each text.
  static let headerLength = 4

  private var input = ByteBuffer()

  /// Adds bytes that the browser sent, in pieces of any size.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) { input.append(bytes) }

  /// Passes the next complete message to `body`, which must not use `parser`.
  ///
  /// - Returns: The result of `body`; `nil` while the next one is incomplete.
  mutating func nextMessage<R>(using parser: JSONParser, _ body: (JSONValue) -> R) throws(FrameError) -> R? {
    guard let length = try firstLength(), input.count >= Self.headerLength + length else { return nil }
    let result = input.withUnsafeReadableBytes { bytes in
      Result { () throws(FrameError) in
        let text = UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength..<Self.headerLength + length])
        do throws(JSONError) { return body(try parser.value(padded: text)) } catch { throw .notJSON(error) }
      }
    }
    input.consume(Self.headerLength + length)
    return try result.get()
  }

  /// Checks that the browser's bytes end between two messages.
  func checkEnd() throws(FrameError) {
    if input.count > 0 { throw .cutOff(received: input.count) }
  }

  /// The length of the first message, when its header is complete.
  private func firstLength() throws(FrameError) -> Int? {
    guard input.count >= Self.headerLength else { return nil }
    let length = input.withUnsafeReadableBytes { Int($0.loadUnaligned(as: UInt32.self)) }
    if length == 0 { throw .empty }
    if length > Self.maximumLength { throw .tooLong(length) }
    return length
  }
}

extension ByteBuffer {
  /// Appends a message for the browser: its length, then the text.
  mutating func appendFrame(text: [UInt8]) {
    withUnsafeBytes(of: UInt32(text.count)) { append($0) }
    append(text)
  }

  /// Appends a message for the browser: the JSON object whose members `members` writes.
  mutating func appendFrame(_ members: (inout JSONWriter) -> Void) {
    appendFrame(
      text: JSONWriter.encode { writer in
        writer.beginObject()
        members(&writer)
        writer.endObject()
      })
  }
}
