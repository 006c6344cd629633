import ScrollModel

/// An event of the log in the very bytes that the daemon sent, for programs that write them elsewhere.
///
/// Bytes are valid until the closure returns that was given the event. They are ASCII without control characters.
public struct PlainEvent {
  /// The event's position in the log.
  public let position: Position
  /// When the daemon received it, in microseconds since the Unix epoch.
  public let received: Int64
  /// The client's user id.
  public let user: UInt32
  /// The event's number in its session.
  public let number: Int64
  /// The client's name.
  public let client: UnsafeRawBufferPointer
  /// The session's id, 32 hexadecimal digits.
  public let session: UnsafeRawBufferPointer
  /// The record as JSON, in the form of recordings.
  public let record: UnsafeRawBufferPointer
  /// The entry as JSON, in the daemon's form.
  public let json: UnsafeRawBufferPointer
  /// Whether more replies follow.
  let continues: Bool

  /// Reads a reply of the daemon that has an event and nothing unusual.
  ///
  /// This takes a fraction of the time that parsing the JSON and writing it again does. It accepts only the members that the
  /// daemon sends, in its order and without spaces, flat records, and texts in ASCII without escapes.
  ///
  /// - Parameter message: The reply, which a NUL follows.
  /// - Returns: `nil` for every other reply, which has to be parsed.
  init?(_ message: UnsafeRawBufferPointer) {
    guard let base = message.baseAddress else { return nil }
    var scanner = Scanner(next: base, end: base + message.count)
    guard scanner.skip("{\"parameters\":") else { return nil }
    let start = scanner.next
    guard scanner.skip("{\"position\":"), let position = scanner.natural(), scanner.skip(",\"received\":"),
      let received = scanner.natural(), scanner.skip(",\"client\":"), let client = scanner.text(),
      scanner.skip(",\"user\":"), let user = scanner.natural().flatMap({ UInt32(exactly: $0) }),
      scanner.skip(",\"session\":"), let session = scanner.text(), session.count == 32, scanner.skip(",\"number\":"),
      let number = scanner.natural(), scanner.skip(",\"record\":")
    else { return nil }
    let recordStart = scanner.next
    guard scanner.skipEvent() else { return nil }
    record = UnsafeRawBufferPointer(start: recordStart, count: scanner.next - recordStart)
    guard scanner.skip("}") else { return nil }
    json = UnsafeRawBufferPointer(start: start, count: scanner.next - start)
    continues = scanner.skip(",\"continues\":true")
    guard scanner.skip("}"), scanner.next == scanner.end else { return nil }
    self.position = position
    self.received = received
    self.user = user
    self.number = number
    self.client = client
    self.session = session
  }

  /// A place in the text of a reply. The NUL after it ends every loop.
  private struct Scanner {
    private(set) var next: UnsafeRawPointer
    let end: UnsafeRawPointer

    init(next: UnsafeRawPointer, end: UnsafeRawPointer) {
      self.next = next
      self.end = end
    }

    private var byte: UInt8 { next.load(as: UInt8.self) }

    /// Passes over a literal, if it is next.
    mutating func skip(_ literal: StaticString) -> Bool {
      let count = literal.utf8CodeUnitCount
      guard end - next >= count else { return false }
      for index in 0..<count where next.load(fromByteOffset: index, as: UInt8.self) != literal.utf8Start[index] {
        return false
      }
      next += count
      return true
    }

    /// Reads a whole number that is not negative and fits into 60 bits.
    mutating func natural() -> Int64? {
      let start = next
      var value: Int64 = 0
      while true {
        let digit = byte &- UInt8(ascii: "0")
        if digit > 9 { break }
        value = value &* 10 &+ Int64(digit)
        next += 1
      }
      let count = next - start
      guard (1...18).contains(count), count == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0") else { return nil }
      return value
    }

    /// Reads a text in ASCII without escapes.
    mutating func text() -> UnsafeRawBufferPointer? {
      guard byte == UInt8(ascii: "\"") else { return nil }
      next += 1
      let start = next
      while true {
        let byte = byte
        if byte == UInt8(ascii: "\"") { break }
        guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
        next += 1
      }
      defer { next += 1 }
      return UnsafeRawBufferPointer(start: start, count: next - start)
    }

    /// Passes over an event: a flat object that begins with an event's kind.
    mutating func skipEvent() -> Bool {
      guard skip("{\"kind\":"), let kind = text(), let first = kind.first, kind.count > 3 else { return false }
      // Not open, close, request and response, which have more to them.
      switch first {
      case UInt8(ascii: "l"), UInt8(ascii: "d"), UInt8(ascii: "s"), UInt8(ascii: "z"): break
      default: return false
      }
      while true {
        switch byte {
        case UInt8(ascii: ","):
          next += 1
          guard text() != nil, skip(":"), skipValue() else { return false }
        case UInt8(ascii: "}"):
          next += 1
          return true
        default: return false
        }
      }
    }

    private mutating func skipValue() -> Bool {
      switch byte {
      case UInt8(ascii: "\""): text() != nil
      case UInt8(ascii: "t"): skip("true")
      case UInt8(ascii: "f"): skip("false")
      default: skipNumber()
      }
    }

    private mutating func skipNumber() -> Bool {
      if byte == UInt8(ascii: "-") { next += 1 }
      if byte == UInt8(ascii: "0") { next += 1 } else if !skipDigits() { return false }
      if byte == UInt8(ascii: ".") {
        next += 1
        if !skipDigits() { return false }
      }
      if byte | 0x20 == UInt8(ascii: "e") {
        next += 1
        if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { next += 1 }
        if !skipDigits() { return false }
      }
      return true
    }

    private mutating func skipDigits() -> Bool {
      let start = next
      while byte &- UInt8(ascii: "0") <= 9 { next += 1 }
      return next > start
    }
  }
}

/// An element of a log that is read for its bytes.
public enum LogLine {
  /// An event in its plain form.
  case event(PlainEvent)
  /// Anything else.
  case entry(LogEntry)
}
