import ScrollModel

/// A packer that splits group commits and marks into columns, without loss: ``ColumnUnpacker`` joins them to the same blocks.
struct ColumnPacker {
  private var columns = [[UInt8]](repeating: [], count: Column.count)
  private var history = ColumnHistory()
  private var indexes: [SessionID: Int] = [:]
  private var wordIndexes: [UInt32: Int] = [:]
  private var received: Int64 = 0
  private var last: (id: SessionID, index: Int)?

  /// The sessions with records in the blocks, in the order of their first occurrence.
  private(set) var sessions: [SessionID] = []

  /// The size of the columns, in bytes.
  var byteCount: Int { columns.reduce(4 * Column.count) { $0 + $1.count } }

  /// Appends the next block.
  ///
  /// - Parameter body: called with each entry.
  /// - Throws: ``ContentError`` when the content of the block is invalid.
  mutating func append(
    _ header: BlockHeader, _ view: BlockView, entries body: (Entry, Int) -> Void
  ) throws(ContentError) {
    columns[Column.blocks].append(header.kind.rawValue)
    put((header.received &- received).zigzag, in: Column.blocks)
    received = header.received
    guard header.kind == .records else {
      put(UInt64(view.payload.count), in: Column.blocks)
      put(view.payload, of: view.bytes, in: Column.marks)
      return
    }
    put(UInt64(header.recordCount), in: Column.blocks)
    var reader = view.reader
    var entries: UInt64 = 0
    while !reader.isAtEnd {
      let start = reader.offset
      body(try append(entry: &reader), reader.offset - start)
      entries += 1
    }
    put(entries, in: Column.blocks)
  }

  /// Returns the payload of the packed block: the length of each column, then the columns.
  func payload() -> ByteWriter {
    var writer = ByteWriter(capacity: byteCount)
    for column in columns { writer.append(UInt32(column.count)) }
    for column in columns { column.withUnsafeBytes { writer.append($0) } }
    return writer
  }

  private mutating func append(entry reader: inout ByteReader) throws(ContentError) -> Entry {
    let start = reader.offset
    let entry = try EntryCoding.read(&reader)
    columns[Column.tags].append(reader.bytes.withBytes(start, 1) { $0[0] })
    var contentStart = start + 1
    switch entry {
    case .run(let id, let firstNumber, let count):
      let session = append(session: id)
      put((firstNumber &- history.nextNumbers[session]).zigzag, in: Column.runs)
      put(UInt64(count), in: Column.runs)
      for _ in 0..<count { try append(event: &reader, of: session) }
      history.addRun(session, firstNumber: firstNumber, count: count)
      return entry
    case .open(let id, _), .close(let id, _), .request(let id, _), .response(let id, _), .forgotten(let id):
      _ = append(session: id)
      contentStart += 16
    case .tombstone:
      break
    }
    put(UInt64(reader.offset - contentStart), in: Column.contentLengths)
    put(contentStart..<reader.offset, of: reader.bytes, in: Column.contents)
    return entry
  }

  private mutating func append(session id: SessionID) -> Int {
    let session = index(of: id)
    put(UInt64(session), in: Column.sessions)
    return session
  }

  private mutating func index(of id: SessionID) -> Int {
    // Consecutive runs often belong to the same session.
    if let last, last.id == id { return last.index }
    if let known = indexes[id] {
      last = (id, known)
      return known
    }
    let index = sessions.count
    indexes[id] = index
    last = (id, index)
    sessions.append(id)
    history.add(received: received)
    withUnsafeBytes(of: id.high.bigEndian) { columns[Column.newSessions].append(contentsOf: $0) }
    withUnsafeBytes(of: id.low.bigEndian) { columns[Column.newSessions].append(contentsOf: $0) }
    return index
  }

  private mutating func append(event reader: inout ByteReader, of session: Int) throws(ContentError) {
    let word: UInt32 = try reader.read()
    append(word: word)
    let time: Int64 = try reader.read()
    put(try ColumnTime.token(time &- history.times[session]), in: Column.times)
    history.times[session] = time
    var fields = Event.FieldSet(rawValue: word).intersection(.all)
    while let field = fields.popFirst() {
      if let place = Column.place(of: field) {
        append(number: try reader.read(), session, place)
      } else {
        let start = reader.offset
        _ = try reader.take(EventCoding.size(of: field))
        put(start..<reader.offset, of: reader.bytes, in: Column.otherValues)
      }
    }
  }

  private mutating func append(word: UInt32) {
    if let index = wordIndexes[word] { return put(UInt64(index), in: Column.words) }
    put(UInt64(wordIndexes.count), in: Column.words)
    wordIndexes[word] = wordIndexes.count
    withUnsafeBytes(of: word.littleEndian) { columns[Column.newWords].append(contentsOf: $0) }
  }

  private mutating func append(number bits: UInt64, _ session: Int, _ field: Int) {
    if let units = NumberUnits.units(of: Double(bitPattern: bits)) {
      put(NumberToken.token(units &- history.units(session, field)), in: Column.numbers + field)
      history.record(session, field, units: units, bits: bits)
      return
    }
    put(NumberToken.asBits, in: Column.numbers + field)
    let changed = bits ^ history.bits(session, field)
    for plane in 0..<8 {
      columns[Column.planes + plane].append(UInt8(truncatingIfNeeded: changed >> (8 * UInt64(plane))))
    }
    history.record(session, field, bits: bits)
  }

  private mutating func put(_ value: UInt64, in column: Int) {
    var rest = value
    while rest >= 0x80 {
      columns[column].append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    columns[column].append(UInt8(rest))
  }

  private mutating func put(_ range: Range<Int>, of bytes: Bytes, in column: Int) {
    bytes.withBytes(range.lowerBound, range.count) { columns[column].append(contentsOf: $0) }
  }
}
