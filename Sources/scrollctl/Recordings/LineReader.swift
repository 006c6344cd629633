import Platform

/// Reads the lines of a file or of standard input as they come. It keeps only a few of them in memory.
final class LineReader {
  /// The maximum length of a line, far above that of any line of a recording.
  static let maximumLineLength = 1 << 20

  /// The name for messages.
  let name: String

  /// The open file; `nil` for standard input.
  private let file: FileDescriptor?
  private let descriptor: BorrowedDescriptor
  private let isInterruptible: Bool
  /// Called with the number of bytes of each piece that was read.
  private let progress: ((Int) -> Void)?
  private var buffer: [UInt8] = []
  /// The offset of the next line in the buffer.
  private var start = 0
  private var hasEnded = false
  /// The beginning of the input.
  private(set) var head: [UInt8] = []

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - isInterruptible: Whether Ctrl-C during a wait for input throws ``Interruption/Interrupted`` instead of ending
  ///   the program.
  ///   - progress: Called with the number of bytes of each piece that was read.
  init(
    _ path: String, name: String? = nil, isInterruptible: Bool = false, progress: ((Int) -> Void)? = nil
  ) throws(SystemError) {
    self.isInterruptible = isInterruptible
    self.progress = progress
    self.name = name ?? (path == "-" ? "standard input" : path)
    if path == "-" {
      file = nil
      descriptor = .standardInput
    } else {
      let opened = try SystemError.wrapping("open", path) { () throws(Errno) in
        try FileDescriptor(opening: path, .readOnly)
      }
      descriptor = opened.borrowed
      file = consume opened
    }
  }

  /// Reads the next line, and passes it to `body` without its newline.
  ///
  /// - Returns: What `body` returns; `nil` at the end.
  func next<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    var searched = start
    while true {
      if let end = newline(from: searched) {
        defer { start = end + 1 }
        return try hand(start..<end, to: body)
      }
      if buffer.count - start > Self.maximumLineLength {
        throw Failure(
          "\(name) has a line of more than \(Self.maximumLineLength) bytes: it is not a recording",
          hint: SourceFormat.hint(forHead: head, file: name))
      }
      if hasEnded {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return try hand(start..<buffer.count, to: body)
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      try fill()
    }
  }

  /// Whether reading the next line, or the end, would not wait.
  var isReady: Bool {
    if hasEnded || newline(from: start) != nil { return true }
    return (try? BorrowedDescriptor.waitForInput(on: [descriptor], milliseconds: 0)) ?? false
  }

  /// Returns the offset of the first newline in the buffer at or after `start`.
  private func newline(from start: Int) -> Int? {
    buffer.withUnsafeBytes { $0.firstOffset(of: 0x0A, from: start) }
  }

  private func hand<Result>(
    _ range: Range<Int>, to body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private func fill() throws {
    if isInterruptible { try InterruptibleWait.untilReadable(descriptor) }
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: 65536))
    let result = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(Errno) in
        try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[old...]))
      }
    }
    let count = (try? result.get()) ?? 0
    buffer.removeLast(buffer.count - old - count)
    if case .failure(let error) = result { throw SystemError("read", name, error) }
    if head.count < SourceFormat.sniffedBytes { head += buffer[old...].prefix(SourceFormat.sniffedBytes - head.count) }
    if count == 0 { hasEnded = true } else { progress?(count) }
  }
}
