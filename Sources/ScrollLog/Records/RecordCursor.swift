import ScrollModel

/// A cursor over the records of a block:
///
///     var records = block.records()
///     while let stored = try records.next() { … }
public struct RecordCursor {
  private var reader: ByteReader
  private let after: Position
  private let block: BlockView
  private var run: (session: SessionID, number: Int64, left: Int)?

  /// The position of the next record.
  public private(set) var nextPosition: Position

  init(_ block: BlockView, after: Position) {
    self.block = block
    self.after = after
    reader = block.reader
    nextPosition = block.firstPosition
  }

  /// Returns the next record; `nil` at the end of the block.
  ///
  /// - Throws: ``ContentError`` when the content of the block is invalid.
  public mutating func next() throws(ContentError) -> StoredRecord? {
    while true {
      if let current = run, current.left > 0 {
        run = (current.session, current.number + 1, current.left - 1)
        nextPosition += 1
        guard nextPosition > after + 1 else {
          try EventCoding.skip(&reader)
          continue
        }
        let event = try EventCoding.read(&reader)
        return stored(current.session, .event(event, number: current.number))
      }
      run = nil
      if reader.isAtEnd {
        guard nextPosition == block.lastPosition + 1 else {
          throw .recordCount(header: block.recordCount, found: Int(nextPosition - block.firstPosition))
        }
        return nil
      }
      if let (session, record) = try nextEntry() {
        nextPosition += 1
        if nextPosition > after + 1 { return stored(session, record) }
      }
    }
  }

  /// Returns the record that was read last.
  private func stored(_ session: SessionID, _ record: Record) -> StoredRecord {
    StoredRecord(position: nextPosition - 1, received: block.received, session: session, record: record)
  }

  /// Reads an entry; returns `nil` when it is not a record itself.
  private mutating func nextEntry() throws(ContentError) -> (SessionID, Record)? {
    switch try EntryCoding.read(&reader) {
    case .run(let session, let firstNumber, let count):
      run = (session, firstNumber, count)
      return nil
    case .open(let session, let opening): return (session, .open(opening))
    case .close(let session, let closing): return (session, .close(closing))
    case .request(let session, let request): return (session, .request(request))
    case .response(let session, let response): return (session, .response(response))
    case .tombstone(let count):
      nextPosition += Int64(count)
      return nil
    case .forgotten:
      nextPosition += 1
      return nil
    }
  }
}
