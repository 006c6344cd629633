internal import JSON
internal import ScrollJSON
import ScrollModel

/// An event of the log in the very bytes that the daemon sent, for programs that write them elsewhere.
///
/// Bytes and event are valid until the closure returns that was given them. The bytes are ASCII without control characters.
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

  /// Where the event was decoded to. An event is large, so that copies of this must not have it in them.
  private let decoded: UnsafePointer<Event>?

  /// The event, if the reading asks for it.
  public var event: Event? { decoded?.pointee }

  /// Reads a reply of the daemon that has an event and nothing unusual.
  ///
  /// This takes a fraction of the time that parsing the JSON and writing it again does. It accepts only the members that the
  /// daemon sends, in its order and without spaces, flat records, and texts in ASCII without escapes.
  ///
  /// - Parameter memory: Where to decode the event to; `nil` if it is not needed.
  /// - Returns: `nil` for every other reply, which has to be parsed.
  init?(_ message: UnsafeRawBufferPointer, decodingTo memory: UnsafeMutablePointer<Event>? = nil) {
    guard var scanner = PlainScanner(message), scanner.skip("{\"parameters\":") else { return nil }
    let start = scanner.address
    guard scanner.skip("{\"position\":"), let position = scanner.natural(), scanner.skip(",\"received\":"),
      let received = scanner.natural(), scanner.skip(",\"client\":"), let client = scanner.text()?.bytes,
      scanner.skip(",\"user\":"), let user = scanner.natural().flatMap({ UInt32(exactly: $0) }),
      scanner.skip(",\"session\":"), let session = scanner.text()?.bytes, session.count == 32,
      scanner.skip(",\"number\":"),
      let number = scanner.natural(), scanner.skip(",\"record\":")
    else { return nil }
    let recordStart = scanner.address
    if let memory {
      guard let event = Event(plain: &scanner) else { return nil }
      memory.pointee = event
    } else {
      guard scanner.skipEvent() else { return nil }
    }
    decoded = memory.map { UnsafePointer($0) }
    record = UnsafeRawBufferPointer(start: recordStart, count: scanner.address - recordStart)
    guard scanner.skip("}") else { return nil }
    json = UnsafeRawBufferPointer(start: start, count: scanner.address - start)
    continues = scanner.skip(",\"continues\":true")
    guard scanner.skip("}"), scanner.isAtEnd else { return nil }
    self.position = position
    self.received = received
    self.user = user
    self.number = number
    self.client = client
    self.session = session
  }
}

extension PlainScanner {
  /// Passes over an event: a flat object that begins with an event's kind.
  fileprivate mutating func skipEvent() -> Bool {
    guard skip("{\"kind\":"), let kind = text()?.bytes, let first = kind.first, kind.count > 3 else { return false }
    // Not open, close, request and response, which have more to them.
    switch first {
    case UInt8(ascii: "l"), UInt8(ascii: "d"), UInt8(ascii: "s"), UInt8(ascii: "z"): break
    default: return false
    }
    while skip(",") {
      guard text() != nil, skip(":"), skipValue() else { return false }
    }
    return skip("}")
  }

  private mutating func skipValue() -> Bool {
    switch byte {
    case UInt8(ascii: "\""): text() != nil
    case UInt8(ascii: "t"): skip("true")
    case UInt8(ascii: "f"): skip("false")
    default: skipNumber()
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
