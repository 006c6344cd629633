import ScrollModel

/// Collects the records of the next group commit.
///
/// Events go in as runs: the events of one call, with consecutive numbers. A call that turns out to be unacceptable
/// leaves nothing behind:
///
///     let mark = builder.mark
///     builder.beginRun(session, firstNumber: 7)
///     for event in events {
///       guard isAcceptable(event) else {
///         builder.rollback(to: mark)
///         break
///       }
///       builder.append(event)
///     }
///     builder.endRun()          // does nothing after a rollback
///     let block = builder.finish(received: now)
///
/// An event is encoded into memory that grows only until it fits a usual block; nothing is allocated for it.
public struct BlockBuilder: ~Copyable {
  /// A place to which the builder can go back.
  public struct Mark: Sendable {
    fileprivate let byteCount: Int
    fileprivate let count: Int
  }

  private var writer: ByteWriter
  private var runCountAt: Int?
  private var runStart = 0
  private var latestReceived: Int64

  /// The position of the first record in the block.
  public private(set) var firstPosition: Position
  /// How many records are in the block.
  public private(set) var count = 0

  /// A builder whose first record gets a position.
  ///
  /// - Parameter received: when the daemon got the last record that the log holds; later blocks never say less.
  public init(nextPosition: Position, received: Int64, capacity: Int = 64 << 10) {
    writer = ByteWriter(capacity: BlockHeader.size + capacity)
    writer.appendZeros(BlockHeader.size)
    firstPosition = nextPosition
    latestReceived = received
  }

  /// The position that the next record gets.
  public var nextPosition: Position { firstPosition + Int64(count) }

  /// How many bytes the records take so far. A block beyond a few MiB is better finished: it is read and checked whole.
  public var byteCount: Int { writer.count - BlockHeader.size }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { count == 0 }

  /// The present place, to go back to. Not within a run.
  public var mark: Mark {
    precondition(runCountAt == nil, "a mark within a run")
    return Mark(byteCount: writer.count, count: count)
  }

  /// Takes back all that was appended after a mark, an unended run included.
  public mutating func rollback(to mark: Mark) {
    writer.truncate(to: mark.byteCount)
    count = mark.count
    runCountAt = nil
  }

  /// Begins a run of events of one session.
  public mutating func beginRun(_ session: SessionID, firstNumber: Int64) {
    precondition(runCountAt == nil, "a run within a run")
    runCountAt = EntryCoding.appendRun(session, firstNumber: firstNumber, to: &writer)
    runStart = count
  }

  /// Appends the run's next event.
  public mutating func append(_ event: Event) {
    precondition(runCountAt != nil, "an event outside a run")
    EventCoding.append(event, to: &writer)
    count += 1
  }

  /// Ends the run; one without events leaves nothing.
  public mutating func endRun() {
    guard let at = runCountAt else { return }
    runCountAt = nil
    if count == runStart {
      writer.truncate(to: at - EntryCoding.runHeaderSize + 4)
    } else {
      writer.store(UInt32(count - runStart), at: at)
    }
  }

  /// Appends a session's opening.
  public mutating func append(_ opening: Opening, of session: SessionID) {
    beginEntry()
    EntryCoding.append(opening, of: session, to: &writer)
  }

  /// Appends a session's closing.
  public mutating func append(_ closing: Closing, of session: SessionID) {
    beginEntry()
    EntryCoding.append(closing, of: session, to: &writer)
  }

  /// Appends a request to a session's client.
  public mutating func append(_ request: ScrollRequest, of session: SessionID) {
    beginEntry()
    EntryCoding.append(request, of: session, to: &writer)
  }

  /// Appends the answer of a session's client.
  public mutating func append(_ response: ScrollResponse, of session: SessionID) {
    beginEntry()
    EntryCoding.append(response, of: session, to: &writer)
  }

  /// Ends the block and begins the next one behind it.
  ///
  /// - Parameter received: when the daemon got the records, microseconds since the Unix epoch. A clock that went back
  ///   counts as standing still.
  /// - Returns: `nil` when there is nothing to write.
  public mutating func finish(received: Int64) -> Block? {
    precondition(runCountAt == nil, "a block ends within a run")
    guard count > 0 else { return nil }
    latestReceived = max(latestReceived, received)
    let payloadLength = byteCount
    precondition(payloadLength <= BlockHeader.maximumPayload, "a block beyond the format's limit")
    // Room for the padding and the checksum, which are put in when the block is written.
    writer.reserve(BlockHeader.length(payload: payloadLength) - writer.count)
    let block = Block(
      firstPosition: firstPosition, recordCount: count, received: latestReceived, payloadLength: payloadLength,
      bytes: writer.take())
    begin(at: nextPosition)
    return block
  }

  /// Drops all that was appended; the next record gets a position again that was given out, but never written.
  public mutating func restart(at nextPosition: Position) {
    writer.truncate(to: 0)
    begin(at: nextPosition)
  }

  private mutating func begin(at position: Position) {
    writer.appendZeros(BlockHeader.size)
    firstPosition = position
    count = 0
    runCountAt = nil
  }

  private mutating func beginEntry() {
    precondition(runCountAt == nil, "another record within a run")
    count += 1
  }
}
