import JSON
import Platform
import ScrollClient

/// A buffered stream of lines for results. Flush it to make them visible at once.
final class Output {
  /// Whether lines are printed in ASCII, with substitutes for other characters.
  var isASCII = false

  /// How many bytes are written together at least, unless the output is flushed.
  private static let bufferSize = 64 << 10

  private var buffer = ByteBuffer()
  private let sink: (UnsafeRawBufferPointer) throws(OutputError) -> Void

  /// Creates an output to a file descriptor, which stays open.
  convenience init(_ descriptor: BorrowedDescriptor) {
    self.init { bytes throws(OutputError) in
      do throws(Errno) { try descriptor.write(bytes) } catch {
        throw error == .brokenPipe ? OutputError.readerGone : .failed(error)
      }
    }
  }

  /// Creates an output to a closure.
  init(_ sink: @escaping (UnsafeRawBufferPointer) throws(OutputError) -> Void) {
    self.sink = sink
  }

  /// Prints a line. Characters that could control a terminal are escaped.
  func line(_ text: String) throws(OutputError) {
    var text = isASCII ? TextEncoding.ascii(printable(text)) : printable(text)
    text.withUTF8 { buffer.append(UnsafeRawBufferPointer($0)) }
    try end()
  }

  /// Prints a line that is known to be ASCII without control characters.
  func plainLine(_ text: UnsafeRawBufferPointer) throws(OutputError) {
    buffer.append(text)
    try end()
  }

  /// Prints lines.
  func lines(_ texts: some Sequence<String>) throws(OutputError) {
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

  /// Prints text unchanged and without a newline, such as escape sequences that move the cursor.
  func raw(_ text: String) throws(OutputError) {
    var text = text
    text.withUTF8 { buffer.append(UnsafeRawBufferPointer($0)) }
  }

  /// Prints bytes unchanged. They are lines with newlines.
  func raw(_ bytes: [UInt8]) throws(OutputError) {
    if bytes.count >= Self.bufferSize {
      // To copy so much would take longer than to write it on its own.
      try flush()
      return try bytes.withUnsafeBytes { bytes in Result { () throws(OutputError) in try sink(bytes) } }.get()
    }
    bytes.withUnsafeBytes { buffer.append($0) }
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the buffered output.
  func flush() throws(OutputError) {
    guard !buffer.isEmpty else { return }
    // Output that cannot be written now is not written later either.
    defer { buffer.removeAll() }
    try buffer.withUnsafeReadableBytes { (bytes) throws(OutputError) in try sink(bytes) }
  }

  /// Waits for a stream's next element, and flushes the output before it waits.
  func wait<Element>(for next: (Duration?) throws -> NextElement<Element>) throws -> NextElement<Element> {
    let element = try next(.zero)
    guard case .timedOut = element else { return element }
    try flush()
    return try next(nil)
  }

  private func end() throws(OutputError) {
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.bufferSize { try flush() }
  }
}

/// Why printing failed.
enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The reader is gone, such as head(1) at the end of a pipe.
  case readerGone
  /// Writing failed.
  case failed(Errno)

  var description: String {
    switch self {
    case .readerGone: "the reader of the output is gone"
    case .failed(let errno): "cannot write the output: \(errno)"
    }
  }
}
