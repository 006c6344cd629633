// Lines of a file, read as they come.

import Platform

/// Lines of a file or of standard input, read as they come, without holding more than a few of them.
final class LineReader {
  /// No line of a recording comes near; what is longer is something else.
  static let maximumLineLength = 1 << 20

  /// The path, or `-`, as messages name it.
  let name: String

  /// The file's owner; `nil` for standard input.
  private let file: FileDescriptor?
  private let descriptor: BorrowedDescriptor
  private let isInterruptible: Bool
  private var buffer: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  private var hasEnded = false

  /// Opens a file, or takes standard input for `-`.
  ///
  /// - Parameter isInterruptible: Ctrl-C while there is nothing to read is an ``Interruption/Interrupted``, not the
  ///   program's end.
  init(_ path: String, name: String? = nil, isInterruptible: Bool = false) throws(SystemError) {
    self.isInterruptible = isInterruptible
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

  /// Reads the next line, and hands it to `body` without its newline.
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
        throw Failure("\(name) has a line of more than \(Self.maximumLineLength) bytes: it is not a recording")
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

  /// Whether the next line, or the end, can be had without waiting.
  var isReady: Bool {
    if hasEnded || newline(from: start) != nil { return true }
    return (try? BorrowedDescriptor.waitForInput(on: [descriptor], milliseconds: 0)) ?? false
  }

  /// Where the first newline stands in the buffer from there on.
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
    if count == 0 { hasEnded = true }
  }
}
