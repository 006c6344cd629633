extension ByteBuffer {
  /// Appends the JSON text that `body` writes. If `body` throws, the part that it wrote stays.
  @inlinable public mutating func appendJSON<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
    var writer = JSONWriter()
    swap(&self, &writer.buffer)
    defer { swap(&self, &writer.buffer) }
    try body(&writer)
  }
}
