// Where results are printed.

import JSON
import Platform
import ScrollClient

/// Where results are printed: a stream of lines, buffered. What is to be seen at once is flushed.
final class Output {
  private var buffer = ByteBuffer()
  private let sink: (UnsafeRawBufferPointer) throws(OutputError) -> Void

  /// An output into a file descriptor, which stays open.
  convenience init(_ descriptor: BorrowedDescriptor) {
    self.init { bytes throws(OutputError) in
      do throws(Errno) { try descriptor.write(bytes) } catch {
        throw error == .brokenPipe ? OutputError.readerGone : .failed(error)
      }
    }
  }

  /// An output that hands over what it is given.
  init(_ sink: @escaping (UnsafeRawBufferPointer) throws(OutputError) -> Void) {
    self.sink = sink
  }

  /// Prints a line.
  func line(_ text: String) throws(OutputError) {
    var text = text
    text.withUTF8 { buffer.append(UnsafeRawBufferPointer($0)) }
    try end()
  }

  /// Prints lines.
  func lines(_ texts: [String]) throws(OutputError) {
    for text in texts { try line(text) }
  }

  /// Prints a value's JSON form as a line.
  func json(_ value: some JSONWritable) throws(OutputError) {
    buffer.appendJSON { value.write(to: &$0) }
    try end()
  }

  /// Prints the JSON object whose members `members` writes as a line.
  func object(_ members: (inout JSONWriter) -> Void) throws(OutputError) {
    buffer.appendJSON { writer in
      writer.beginObject()
      members(&writer)
      writer.endObject()
    }
    try end()
  }

  /// Prints text that is no line, such as what moves a terminal's cursor.
  func raw(_ text: String) throws(OutputError) {
    var text = text
    text.withUTF8 { buffer.append(UnsafeRawBufferPointer($0)) }
  }

  /// Prints bytes that are lines, with their newlines.
  func raw(_ bytes: [UInt8]) throws(OutputError) {
    bytes.withUnsafeBytes { buffer.append($0) }
    if buffer.count >= 65536 { try flush() }
  }

  /// Hands over what is buffered.
  func flush() throws(OutputError) {
    guard !buffer.isEmpty else { return }
    // What can't be written now can't be written later.
    defer { buffer.removeAll() }
    try buffer.withUnsafeReadableBytes { (bytes) throws(OutputError) in try sink(bytes) }
  }

  /// Waits for a stream's next element, and hands over what is buffered before it waits.
  func wait<Element>(for next: (Duration?) throws -> NextElement<Element>) throws -> NextElement<Element> {
    let element = try next(.zero)
    guard case .timedOut = element else { return element }
    try flush()
    return try next(nil)
  }

  private func end() throws(OutputError) {
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 65536 { try flush() }
  }
}
