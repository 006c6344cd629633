import ScrollModel

/// An unpacker that joins columns to the group commits and marks that a ``ColumnPacker`` split, byte for byte.
///
/// It trusts no length: results of more than ``BlockHeader/maximumUnpacked`` bytes are refused before they are created.
struct ColumnUnpacker: ~Copyable {
  private let packed: BlockHeader
  private let offset: Int64
  private var columns: [ByteReader] = []
  private var history = ColumnHistory()
  private var sessions: [SessionID] = []
  private var words: [UInt32] = []
  private var writer: ByteWriter
  private var blocks: [(header: BlockHeader, at: Int)] = []
  private var received: Int64 = 0
  private var nextPosition: Position

  /// Unpacks the blocks in the payload of a packed block.
  ///
  /// - Parameter offset: the offset of the packed block in its file.
  /// - Throws: ``ContentError`` when the payload cannot be unpacked.
  static func unpack(_ header: BlockHeader, _ payload: ByteReader, offset: Int64) throws(ContentError) -> UnpackedBlocks
  {
    var unpacker = try ColumnUnpacker(header, payload, offset)
    return try unpacker.run()
  }

  private init(_ header: BlockHeader, _ payload: ByteReader, _ offset: Int64) throws(ContentError) {
    packed = header
    self.offset = offset
    nextPosition = header.firstPosition
    writer = ByteWriter(capacity: payload.end - payload.offset)
    var reader = payload
    var lengths: [Int] = []
    for _ in 0..<Column.count { lengths.append(Int(try reader.read(UInt32.self))) }
    for length in lengths {
      let start = reader.offset
      _ = try reader.take(length)
      columns.append(ByteReader(reader.bytes, from: start, to: reader.offset))
    }
    guard reader.isAtEnd else { throw .badValue(field: "columns' length", value: UInt64(reader.end - reader.offset)) }
  }

  private mutating func run() throws(ContentError) -> UnpackedBlocks {
    while !columns[Column.blocks].isAtEnd { try unpackBlock() }
    guard nextPosition == packed.nextPosition else {
      throw .recordCount(header: packed.recordCount, found: Int(nextPosition - packed.firstPosition))
    }
    guard received == packed.received else {
      throw .badValue(field: "received", value: UInt64(bitPattern: received))
    }
    guard columns.allSatisfy({ $0.isAtEnd }) else { throw .badValue(field: "columns' length", value: 0) }
    return UnpackedBlocks(bytes: writer.take(), blocks: blocks)
  }

  private mutating func unpackBlock() throws(ContentError) {
    let kind: BlockKind = try columns[Column.blocks].choice("block kind")
    received = received &+ (try columns[Column.blocks].zigzag())
    var header = BlockHeader(
      payloadLength: 0, kind: kind, recordCount: 0, firstPosition: nextPosition, received: received,
      syncedTo: nextPosition - 1, syncedOffset: offset)
    let at = writer.count
    try makeRoom(BlockHeader.size)
    writer.appendZeros(BlockHeader.size)
    let count = try columns[Column.blocks].varint()
    switch kind {
    case .records:
      guard count <= UInt64(packed.nextPosition - nextPosition) else {
        throw .badValue(field: "record count", value: count)
      }
      header.recordCount = Int(count)
      nextPosition += Int64(count)
      for _ in 0..<(try columns[Column.blocks].varint()) { try unpackEntry() }
    case .start, .cleanStop:
      try copy(count, from: Column.marks)
    case .checkpoint, .snapshotIndex, .packed, .innerCheckpoint, .packedIndex, .indexPlace, .seal:
      throw .badValue(field: "block kind", value: UInt64(kind.rawValue))
    }
    header.payloadLength = writer.count - at - BlockHeader.size
    try header.validate()
    blocks.append((header, at))
  }

  private mutating func unpackEntry() throws(ContentError) {
    let tag: UInt8 = try columns[Column.tags].read()
    try makeRoom(EntryCoding.runHeaderSize)
    writer.append(tag)
    switch EntryTag(rawValue: tag) {
    case .run:
      let session = try unpackSession()
      let firstNumber = history.nextNumbers[session] &+ (try columns[Column.runs].zigzag())
      let count = try columns[Column.runs].varint()
      guard let count = UInt32(exactly: count) else { throw .badValue(field: "run length", value: count) }
      writer.append(firstNumber)
      writer.append(count)
      for _ in 0..<count { try unpackEvent(session) }
      history.addRun(session, firstNumber: firstNumber, count: Int(count))
      return
    case .open, .close, .request, .response, .forgotten:
      _ = try unpackSession()
    case .tombstone:
      break
    case .checkpointHead, .checkpointSession, nil:
      throw .unknownTag(tag)
    }
    try copy(try columns[Column.contentLengths].varint(), from: Column.contents)
  }

  private mutating func unpackSession() throws(ContentError) -> Int {
    let index = try columns[Column.sessions].varint()
    guard index <= UInt64(sessions.count) else { throw .badValue(field: "session index", value: index) }
    let session = Int(index)
    if session == sessions.count {
      sessions.append(try columns[Column.newSessions].session())
      history.add(received: received)
    }
    writer.append(sessions[session])
    return session
  }

  private mutating func unpackEvent(_ session: Int) throws(ContentError) {
    try makeRoom(EventCoding.maximumSize)
    let word = try unpackWord()
    writer.append(word)
    let time = history.times[session] &+ ColumnTime.difference(try columns[Column.times].varint())
    history.times[session] = time
    writer.append(time)
    var fields = Event.FieldSet(rawValue: word).intersection(.all)
    while let field = fields.popFirst() {
      if let place = Column.place(of: field) {
        writer.append(try unpackNumber(session, place))
      } else {
        let size = EventCoding.size(of: field)
        writer.append(UnsafeRawBufferPointer(start: try columns[Column.otherValues].take(size), count: size))
      }
    }
  }

  private mutating func unpackWord() throws(ContentError) -> UInt32 {
    let index = try columns[Column.words].varint()
    guard index <= UInt64(words.count) else { throw .badValue(field: "word index", value: index) }
    if Int(index) == words.count { words.append(try columns[Column.newWords].read()) }
    return words[Int(index)]
  }

  private mutating func unpackNumber(_ session: Int, _ field: Int) throws(ContentError) -> UInt64 {
    switch try NumberToken(try columns[Column.numbers + field].varint()) {
    case .units(let difference):
      let units = history.units(session, field) &+ difference
      let bits = NumberUnits.number(units).bitPattern
      history.record(session, field, units: units, bits: bits)
      return bits
    case .bits:
      var changed: UInt64 = 0
      for plane in 0..<8 {
        changed |= UInt64(try columns[Column.planes + plane].read(UInt8.self)) << (8 * UInt64(plane))
      }
      let bits = history.bits(session, field) ^ changed
      history.record(session, field, bits: bits)
      return bits
    }
  }

  private mutating func copy(_ count: UInt64, from column: Int) throws(ContentError) {
    guard let count = Int(exactly: count) else { throw .endsEarly }
    let bytes = columns[column].bytes
    let start = columns[column].offset
    _ = try columns[column].take(count)
    try makeRoom(count)
    bytes.withBytes(start, count) { writer.append($0) }
  }

  private func makeRoom(_ count: Int) throws(ContentError) {
    guard count <= BlockHeader.maximumUnpacked - writer.count else {
      throw .badValue(field: "unpacked length", value: UInt64(writer.count + count))
    }
  }
}

/// The group commits and marks that a packed block holds, in order.
struct UnpackedBlocks {
  /// For each block, room for a header and then its payload.
  var bytes: Bytes
  /// The blocks and their offsets in ``bytes``.
  var blocks: [(header: BlockHeader, at: Int)]
}
