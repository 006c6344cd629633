import ScrollModel

/// The records of the next group commit, while the loop collects them.
///
/// Events are added in runs: the events of one call, with consecutive numbers. A call that turns out to be unacceptable
/// can be rolled back:
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
/// Events are encoded without any allocation once the memory has grown to fit a usual block.
public struct BlockBuilder: ~Copyable {
  /// A point to which the builder can roll back.
  public struct Mark: Sendable {
    fileprivate let byteCount: Int
    fileprivate let count: Int
    fileprivate let lastRun: Run?
  }

  /// A run that is the last entry, so that the session's next events can continue it.
  fileprivate struct Run {
    let session: SessionID
    let nextNumber: Int64
    let countAt: Int
    /// How many records are before it.
    let start: Int
  }

  private var writer: ByteWriter
  private var runCountAt: Int?
  private var runStart = 0
  /// The session and the first number of the run that has begun.
  private var run: (session: SessionID, firstNumber: Int64)?
  private var lastRun: Run?
  private var latestReceived: Int64

  /// The position of the first record in the block.
  public private(set) var firstPosition: Position
  /// How many records are in the block.
  public private(set) var count = 0

  /// Creates a builder whose first record gets a position.
  ///
  /// - Parameter received: when the daemon received the last record in the log, microseconds since the Unix epoch. The
  ///   times of later blocks are never less.
  public init(nextPosition: Position, received: Int64, capacity: Int = 64 << 10) {
    writer = ByteWriter(capacity: BlockHeader.size + capacity)
    writer.appendZeros(BlockHeader.size)
    firstPosition = nextPosition
    latestReceived = received
  }

  /// The position that the next record gets.
  public var nextPosition: Position { firstPosition + Int64(count) }

  /// The size of the records so far, in bytes. Finish a block at a few MiB at most, since it is read and checked whole.
  public var byteCount: Int { writer.count - BlockHeader.size }

  /// Whether the block has no records.
  public var isEmpty: Bool { count == 0 }

  /// The current point, for ``rollback(to:)``. Not available within a run.
  public var mark: Mark {
    precondition(runCountAt == nil, "a mark within a run")
    return Mark(byteCount: writer.count, count: count, lastRun: lastRun)
  }

  /// Removes everything appended after a mark, including an unfinished run.
  public mutating func rollback(to mark: Mark) {
    writer.truncate(to: mark.byteCount)
    count = mark.count
    lastRun = mark.lastRun
    runCountAt = nil
    // The events that are removed may have continued this run, and may have been counted in it.
    if let lastRun { writer.store(UInt32(count - lastRun.start), at: lastRun.countAt) }
  }

  /// Begins a run of events of one session, or continues the last one, if these are the events that follow it.
  public mutating func beginRun(_ session: SessionID, firstNumber: Int64) {
    precondition(runCountAt == nil, "a run within a run")
    if let lastRun, lastRun.session == session, lastRun.nextNumber == firstNumber {
      runCountAt = lastRun.countAt
      runStart = lastRun.start
      run = (session, firstNumber - Int64(count - lastRun.start))
    } else {
      runCountAt = EntryCoding.appendRun(session, firstNumber: firstNumber, to: &writer)
      runStart = count
      run = (session, firstNumber)
    }
  }

  /// Appends the run's next event.
  public mutating func append(_ event: Event) {
    precondition(runCountAt != nil, "an event outside a run")
    EventCoding.append(event, to: &writer)
    count += 1
  }

  /// Ends the run, and removes it if it has no events.
  public mutating func endRun() {
    guard let at = runCountAt, let run else { return }
    runCountAt = nil
    if count == runStart {
      writer.truncate(to: at - EntryCoding.runHeaderSize + 4)
    } else {
      writer.store(UInt32(count - runStart), at: at)
      lastRun = Run(
        session: run.session, nextNumber: run.firstNumber + Int64(count - runStart), countAt: at, start: runStart)
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

  /// Appends the response of a session's client.
  public mutating func append(_ response: ScrollResponse, of session: SessionID) {
    beginEntry()
    EntryCoding.append(response, of: session, to: &writer)
  }

  /// Ends the block and begins the next one.
  ///
  /// - Parameter received: when the daemon received the records, microseconds since the Unix epoch. A time before that of
  ///   the previous block is replaced by that one.
  /// - Returns: `nil` when the block has no records.
  public mutating func finish(received: Int64) -> Block? {
    precondition(runCountAt == nil, "a block ends within a run")
    guard count > 0 else { return nil }
    latestReceived = max(latestReceived, received)
    let payloadLength = byteCount
    precondition(payloadLength <= BlockHeader.maximumPayload, "a block beyond the format's limit")
    // Room for the padding and the checksum, which are filled in when the block is written.
    writer.reserve(BlockHeader.length(payload: payloadLength) - writer.count)
    let block = Block(
      firstPosition: firstPosition, recordCount: count, received: latestReceived, payloadLength: payloadLength,
      bytes: writer.take())
    begin(at: nextPosition)
    return block
  }

  /// Drops all records. The next record gets a position that may have been assigned before, but was never written.
  public mutating func restart(at nextPosition: Position) {
    writer.truncate(to: 0)
    begin(at: nextPosition)
  }

  private mutating func begin(at position: Position) {
    writer.appendZeros(BlockHeader.size)
    firstPosition = position
    count = 0
    runCountAt = nil
    lastRun = nil
  }

  private mutating func beginEntry() {
    precondition(runCountAt == nil, "another record within a run")
    lastRun = nil
    count += 1
  }
}
