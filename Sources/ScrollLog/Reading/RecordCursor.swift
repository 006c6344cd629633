// Goes over the records of a block.

import ScrollModel

/// Goes over the records of a block, one at each call:
///
///     var records = block.records()
///     while let stored = try records.next() { … }
public struct RecordCursor {
  private var reader: ByteReader
  private let received: Int64
  private let after: Position
  private let block: BlockView
  private var run: (session: SessionID, number: Int64, left: Int)?

  /// The position of the record that comes next.
  public private(set) var nextPosition: Position

  init(_ block: BlockView, after: Position) {
    self.block = block
    self.after = after
    reader = block.reader
    received = block.received
    nextPosition = block.firstPosition
  }

  /// The next record; `nil` at the block's end.
  ///
  /// - Throws: ``ContentError`` when the block holds nonsense.
  public mutating func next() throws(ContentError) -> StoredRecord? {
    while true {
      guard let (session, record) = try step() else { return nil }
      guard let record else { continue }
      let position = nextPosition
      nextPosition += 1
      if position > after {
        return StoredRecord(position: position, received: received, session: session, record: record)
      }
    }
  }

  /// Reads the next entry or event; without a record where there are none.
  private mutating func step() throws(ContentError) -> (SessionID, Record?)? {
    if let current = run {
      guard current.left > 0 else {
        run = nil
        return (current.session, nil)
      }
      let event = try EventCoding.read(&reader)
      run = (current.session, current.number + 1, current.left - 1)
      return (current.session, .event(event, number: current.number))
    }
    guard !reader.isAtEnd else {
      guard nextPosition == block.lastPosition + 1 else {
        throw .recordCount(header: block.recordCount, found: Int(nextPosition - block.firstPosition))
      }
      return nil
    }
    switch try EntryCoding.read(&reader) {
    case .run(let session, let firstNumber, let count):
      run = (session, firstNumber, count)
      return (session, nil)
    case .open(let session, let opening): return (session, .open(opening))
    case .close(let session, let closing): return (session, .close(closing))
    case .request(let session, let request): return (session, .request(request))
    case .response(let session, let response): return (session, .response(response))
    case .tombstone(let count):
      nextPosition += Int64(count)
      return (SessionID(high: 0, low: 0), nil)
    }
  }
}
