// JSON texts at the end of a byte buffer.

extension ByteBuffer {
  /// Appends the JSON text that `body` writes; when it throws, what it wrote before that stays.
  @inlinable public mutating func appendJSON<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    var writer = JSONWriter()
    swap(&self, &writer.buffer)
    defer { swap(&self, &writer.buffer) }
    try body(&writer)
  }
}
