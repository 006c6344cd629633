import JSON
import Platform

/// A connection that sends prepared messages and counts the replies, so that the client costs next to nothing.
final class RawConnection {
  private let descriptor: FileDescriptor
  /// The byte that ends each reply.
  private let terminator: UInt8
  /// How many replies were received before anybody waited for them.
  private var early = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  /// Connects, waiting up to 10 s for the server to listen.
  ///
  /// - Parameter pause: The time between two attempts.
  init(_ path: String, terminator: UInt8, pause: Duration = .milliseconds(5)) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      let descriptor = try FileDescriptor(socket: .stream)
      do throws(Errno) {
        try descriptor.borrowed.connect(to: .path(path))
        self.descriptor = descriptor
        self.terminator = terminator
        return
      } catch {
        if ContinuousClock.now >= deadline { throw SystemError("connect to", path, error) }
        sleep(until: .now + pause)
      }
    }
  }

  deinit { buffer.deallocate() }

  /// Sends all of a message.
  func send(_ message: UnsafeRawBufferPointer) throws {
    var rest = message
    while !rest.isEmpty {
      let count = try descriptor.borrowed.send(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Waits for some replies.
  ///
  /// - Throws: `SystemError` when the server ends the connection, or when a reply is an error.
  func receive(_ count: Int = 1) throws {
    var left = count - early
    defer { early = -left }
    while left > 0 {
      let received = try descriptor.borrowed.receive(into: buffer)
      if received == 0 { throw SystemError("receive", "a reply", .connectionReset) }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<received])
      left -= bytes.count { $0 == terminator }
      // Redis begins an error with a minus; a reply of the daemon begins with its parameters or its error.
      guard bytes[0] != UInt8(ascii: "-"), !bytes.starts(with: #"{"error""#.utf8) else {
        throw Arguments.Problem("the server replied with an error: \(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  /// Receives and drops everything up to and including a reply that contains a text.
  func receive(through text: String) throws {
    var all: [UInt8] = []
    while true {
      let received = try descriptor.borrowed.receive(into: buffer)
      if received == 0 { throw SystemError("receive", "a reply", .connectionReset) }
      all.append(contentsOf: buffer[..<received])
      if String(decoding: all, as: UTF8.self).contains(text) { return }
    }
  }
}

/// Prepared messages, one after the other.
struct Messages: ~Copyable {
  private var text = ByteBuffer()
  private var ends: [Int] = []

  /// How many there are.
  var count: Int { ends.count }

  /// Adds what a closure writes as one message.
  mutating func add(_ write: (inout ByteBuffer) -> Void) {
    write(&text)
    ends.append(text.count)
  }

  /// Lends one message, or several that follow one another.
  func lend(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
    let end = ends[range.upperBound - 1]
    try text.withUnsafeReadableBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }
}
