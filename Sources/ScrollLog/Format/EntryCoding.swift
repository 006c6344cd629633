import ScrollModel

/// The encoding of the entries in a block of records.
enum EntryCoding {
  /// The size of a run without its events: tag, session, first number, count.
  static let runHeaderSize = 1 + 16 + 8 + 4

  private static let targetTop: UInt8 = 0
  private static let targetBottom: UInt8 = 1
  private static let targetPage: UInt8 = 2
  private static let targetOffset: UInt8 = 3

  /// Appends a run without events; the caller stores their count later.
  ///
  /// - Returns: the offset of the count.
  static func appendRun(_ session: SessionID, firstNumber: Int64, to writer: inout ByteWriter) -> Int {
    writer.append(EntryTag.run.rawValue)
    writer.append(session)
    writer.append(firstNumber)
    writer.append(0 as UInt32)
    return writer.count - 4
  }

  static func append(_ opening: Opening, of session: SessionID, to writer: inout ByteWriter) {
    writer.append(EntryTag.open.rawValue)
    writer.append(session)
    OpeningCoding.append(opening, to: &writer)
  }

  static func append(_ closing: Closing, of session: SessionID, to writer: inout ByteWriter) {
    writer.append(EntryTag.close.rawValue)
    writer.append(session)
    writer.append(closing.time)
    writer.append(closing.reason.rawValue)
  }

  static func append(_ request: ScrollRequest, of session: SessionID, to writer: inout ByteWriter) {
    writer.append(EntryTag.request.rawValue)
    writer.append(session)
    writer.append(request.time)
    switch request.target {
    case .top: writer.append(targetTop)
    case .bottom: writer.append(targetBottom)
    case .page(let page):
      writer.append(targetPage)
      writer.append(page)
    case .offset(let x, let y):
      writer.append(targetOffset)
      writer.append(x)
      writer.append(y)
    }
  }

  static func append(_ response: ScrollResponse, of session: SessionID, to writer: inout ByteWriter) {
    writer.append(EntryTag.response.rawValue)
    writer.append(session)
    writer.append(response.time)
    writer.append(response.request)
    writer.append(response.done)
    writer.append(response.reason != nil)
    if let reason = response.reason { writer.append(reason) }
  }

  static func appendTombstone(_ count: UInt32, to writer: inout ByteWriter) {
    writer.append(EntryTag.tombstone.rawValue)
    writer.append(count)
  }

  static func appendForgotten(_ session: SessionID, to writer: inout ByteWriter) {
    writer.append(EntryTag.forgotten.rawValue)
    writer.append(session)
  }

  /// Reads an entry, but leaves the events of a run to the caller.
  static func read(_ reader: inout ByteReader) throws(ContentError) -> Entry {
    let tag: UInt8 = try reader.read()
    switch EntryTag(rawValue: tag) {
    case .run:
      let session = try reader.session()
      let firstNumber = try reader.ordinal("event number")
      let count: UInt32 = try reader.read()
      return .run(session, firstNumber: firstNumber, count: Int(count))
    case .open:
      return .open(try reader.session(), try OpeningCoding.read(&reader))
    case .close:
      return .close(try reader.session(), Closing(time: try reader.read(), reason: try reader.choice("close reason")))
    case .request:
      let session = try reader.session()
      let time: Int64 = try reader.read()
      return .request(session, ScrollRequest(time: time, target: try target(&reader)))
    case .response:
      let session = try reader.session()
      let time: Int64 = try reader.read()
      let request = try reader.natural("request position")
      let done = try reader.bool("done")
      let reason = try reader.bool("presence") ? try reader.text("reason") : nil
      return .response(session, ScrollResponse(time: time, request: request, done: done, reason: reason))
    case .tombstone:
      return .tombstone(count: Int(try reader.read(UInt32.self)))
    case .forgotten:
      return .forgotten(try reader.session())
    case .checkpointHead, .checkpointSession, nil:
      throw .unknownTag(tag)
    }
  }

  private static func target(_ reader: inout ByteReader) throws(ContentError) -> ScrollRequest.Target {
    let code: UInt8 = try reader.read()
    switch code {
    case targetTop: return .top
    case targetBottom: return .bottom
    case targetPage: return .page(try reader.read())
    case targetOffset: return .offset(x: try reader.double(), y: try reader.double())
    default: throw .badValue(field: "target", value: UInt64(code))
    }
  }
}

/// An entry in the payload of a block of records.
enum Entry {
  /// Events of one session follow, with consecutive numbers from `firstNumber` on.
  case run(SessionID, firstNumber: Int64, count: Int)
  case open(SessionID, Opening)
  case close(SessionID, Closing)
  case request(SessionID, ScrollRequest)
  case response(SessionID, ScrollResponse)
  /// Positions whose records were forgotten.
  case tombstone(count: Int)
  /// The position of the closing of a forgotten session.
  case forgotten(SessionID)
}

extension Entry {
  /// The session whose record this is; `nil` for what was forgotten.
  var session: SessionID? {
    switch self {
    case .run(let session, _, _), .open(let session, _), .close(let session, _), .request(let session, _),
      .response(let session, _):
      session
    case .tombstone, .forgotten: nil
    }
  }
}
