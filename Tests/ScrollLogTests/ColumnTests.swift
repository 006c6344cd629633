import ScrollModel
import Testing

@testable import ScrollLog

/// Splitting blocks into columns and joining them again.
@Suite struct ColumnTests {
  /// The columns are part of the format: a field added later has none, and its value is among the others.
  @Test func theFormatHasAColumnForEachNumberOfItsFirstVersion() {
    let first: [Event.Field] = [
      .x, .y, .translationX, .translationY, .zoomScale, .contentWidth, .contentHeight, .frameWidth, .frameHeight,
      .insetTop, .insetLeft, .insetBottom, .insetRight, .minimumZoomScale, .maximumZoomScale,
    ]
    #expect(first.map { Column.place(of: $0) } == Array(0..<Column.numberCount))
    #expect(Event.Field.allCases.filter { !first.contains($0) }.allSatisfy { Column.place(of: $0) == nil })
  }

  private struct Packed {
    var header: BlockHeader
    var payload: [UInt8]
    var originals: [[UInt8]]
  }

  /// Packs blocks of records.
  private static func pack(_ blocks: [(payload: [UInt8], records: Int, received: Int64)]) throws -> Packed {
    var packer = ColumnPacker()
    var position: Position = 7
    for block in blocks {
      var writer = ByteWriter(capacity: block.payload.count)
      block.payload.withUnsafeBytes { writer.append($0) }
      let header = BlockHeader(
        payloadLength: block.payload.count, kind: .records, recordCount: block.records, firstPosition: position,
        received: block.received, syncedTo: 0, syncedOffset: 0)
      let view = BlockView(
        firstPosition: position, recordCount: block.records, received: block.received, bytes: writer.take(),
        payload: 0..<block.payload.count)
      try packer.append(header, view) { _, _ in }
      position += Int64(block.records)
    }
    let payload = packer.payload()
    let header = BlockHeader(
      payloadLength: 0, kind: .packed, recordCount: Int(position - 7), firstPosition: 7,
      received: blocks.last?.received ?? 0, syncedTo: 6, syncedOffset: 0)
    return Packed(
      header: header, payload: payload.bytes.withBytes(0, payload.count) { [UInt8]($0) },
      originals: blocks.map(\.payload))
  }

  private static func unpack(_ header: BlockHeader, _ payload: [UInt8]) throws(ContentError) -> UnpackedBlocks {
    var writer = ByteWriter(capacity: payload.count)
    payload.withUnsafeBytes { writer.append($0) }
    let count = writer.count
    return try ColumnUnpacker.unpack(header, ByteReader(writer.take(), from: 0, to: count), offset: 0)
  }

  private static func payloads(_ unpacked: UnpackedBlocks) -> [[UInt8]] {
    unpacked.blocks.map { header, at in
      unpacked.bytes.withBytes(at + BlockHeader.size, header.payloadLength) { [UInt8]($0) }
    }
  }

  /// Every field with all sorts of values: whole numbers, units, arbitrary bits, negative zero, the largest, NaN.
  @Test func allNumbersAreUnpackedUnchanged() throws {
    var random = SeededGenerator.ofThisRun(81)
    let numbers: [Double] = [
      0, -0.0, 1, -1, 0.0001, 1.0 / 3, 2.0 / 3, 1.0 / 64, 1234.5678, 1e10, 9e10, .infinity, -.infinity, .nan,
      .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, Double(Float(0.1)), 9_007_199_254_740_992 / 120_000,
    ]
    let times: [Int64] = [0, 1, -1, 100, 99, 1 << 53, -(1 << 53), 1 << 60]
    for _ in 0..<200 {
      var writer = ByteWriter(capacity: 1024)
      var records = 0
      for session in 0..<3 {
        let count = Int.random(in: 1...5, using: &random)
        let countAt = EntryCoding.appendRun(
          SessionID(high: 1, low: UInt64(session)), firstNumber: .random(in: 1...(.max / 2), using: &random),
          to: &writer)
        writer.store(UInt32(count), at: countAt)
        for _ in 0..<count {
          let mask = UInt32.random(in: 0...Event.FieldSet.all.rawValue, using: &random)
          writer.append(mask | UInt32.random(in: 0...7, using: &random) << 24)
          writer.append(times.randomElement(using: &random) ?? 0)
          for field in 0..<15 where mask & 1 << UInt32(field) != 0 {
            let isAny = random.happens(0.3)
            writer.append(isAny ? Double(bitPattern: random.next()) : numbers.randomElement(using: &random) ?? 0)
          }
          for field in Event.Field.allCases.dropFirst(15) where mask & 1 << UInt32(field.rawValue) != 0 {
            for _ in 0..<EventCoding.size(of: field) { writer.append(UInt8.random(in: 0...255, using: &random)) }
          }
        }
        records += count
      }
      let payload = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
      let packed = try Self.pack([(payload, records, 1 << 50), (payload, records, 1 << 51)])
      let unpacked = try Self.unpack(packed.header, packed.payload)
      #expect(Self.payloads(unpacked) == packed.originals)
    }
  }

  @Test func everyKindOfEntryIsUnpackedUnchanged() throws {
    let session = SessionID(high: 5, low: 6)
    var writer = ByteWriter(capacity: 1024)
    var opening = Opening(client: ClientID(user: 3, name: "ä"), time: -5, policy: .classic)
    opening.title = ""
    EntryCoding.append(opening, of: session, to: &writer)
    for target in [ScrollRequest.Target.top, .bottom, .page(.min), .offset(x: -0.0, y: .nan)] {
      EntryCoding.append(ScrollRequest(time: .max, target: target), of: session, to: &writer)
    }
    for reason in [nil, "", "because"] {
      EntryCoding.append(ScrollResponse(time: 1, request: 2, done: true, reason: reason), of: session, to: &writer)
    }
    EntryCoding.append(Closing(time: .min, reason: .idle), of: session, to: &writer)
    EntryCoding.appendTombstone(3, to: &writer)
    EntryCoding.appendForgotten(SessionID(high: 7, low: 8), to: &writer)
    EntryCoding.appendTombstone(.max, to: &writer)
    let payload = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
    let packed = try Self.pack([(payload, 13 + Int(UInt32.max), 9)])
    #expect(Self.payloads(try Self.unpack(packed.header, packed.payload)) == [payload])
  }

  /// Each byte of the columns with each value is refused, or unpacks to blocks that the header allows.
  @Test func invalidColumnsAreRefused() throws {
    var feed = RandomFeed(SeededGenerator(seed: SeededGenerator.seed))
    var builder = BlockBuilder(nextPosition: 7, received: 0)
    let block = feed.block(&builder, calls: 2)
    let original = block.view.bytes.withBytes(block.view.payload.lowerBound, block.view.payload.count) { [UInt8]($0) }
    let packed = try Self.pack([(original, block.recordCount, block.received)])
    var refused = 0
    for index in packed.payload.indices {
      for change: UInt8 in [1, 2, 4, 0x80, 0xFF] {
        var payload = packed.payload
        payload[index] ^= change
        do throws(ContentError) {
          let found = try Self.unpack(packed.header, payload)
          #expect(found.blocks.reduce(0) { $0 + $1.header.recordCount } == packed.header.recordCount)
        } catch {
          refused += 1
        }
      }
    }
    #expect(refused > 100)
    for length in 0..<packed.payload.count {
      #expect(throws: ContentError.self) { try Self.unpack(packed.header, Array(packed.payload[..<length])) }
    }
  }

  /// A few bytes that claim to hold very much are refused before memory is allocated for them.
  @Test func unpackingStopsAtTheLimit() throws {
    // One session, one word with all fields, and an event for every two bytes.
    var columns = [[UInt8]](repeating: [], count: Column.count)
    let events = 1 << 20
    columns[Column.blocks] = [1, 0, 1, 1]
    columns[Column.tags] = [1]
    columns[Column.sessions] = [0]
    columns[Column.newSessions] = Array(repeating: 0, count: 16)
    columns[Column.runs] = [0, 0x80, 0x80, 0x40]
    columns[Column.words] = Array(repeating: 0, count: events)
    columns[Column.newWords] = [0xFF, 0x7F, 0, 2]
    columns[Column.times] = Array(repeating: 0, count: events)
    for field in 0..<Column.numberCount {
      columns[Column.numbers + field] = Array(repeating: 0, count: events)
    }
    var payload: [UInt8] = []
    for column in columns { withUnsafeBytes(of: UInt32(column.count).littleEndian) { payload += $0 } }
    for column in columns { payload += column }
    let header = BlockHeader(
      payloadLength: 0, kind: .packed, recordCount: 1, firstPosition: 1, received: 0, syncedTo: 0, syncedOffset: 0)
    let error = try thrown(ContentError.self) { _ = try Self.unpack(header, payload) }
    guard case .badValue("unpacked length", _) = error else {
      Issue.record(error)
      return
    }
  }

  @Test func aFrameOfTheWrongLengthIsRefused() throws {
    let bytes = [UInt8](repeating: 7, count: 1000)
    var writer = ByteWriter(capacity: 100)
    bytes.withUnsafeBytes { Compression.append($0, to: &writer) }
    let frame = writer.bytes.withBytes(0, writer.count) { [UInt8]($0) }
    frame.withUnsafeBytes { frame in
      #expect(Compression.unpack(frame, count: 1000, at: 8) != nil)
      #expect(Compression.unpack(frame, count: 999, at: 8) == nil)
      #expect(Compression.unpack(frame, count: 1001, at: 8) == nil)
      for length in 0..<frame.count {
        #expect(Compression.unpack(UnsafeRawBufferPointer(rebasing: frame[..<length]), count: 1000, at: 8) == nil)
      }
    }
  }
}
