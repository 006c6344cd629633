import Platform

/// A thread that writes batches of rows, while the next ones are being made: both take about as long.
///
/// Unchecked: what the threads share is touched within the monitor only. The tables belong to the thread until it has ended.
final class RowThread: @unchecked Sendable {
  /// How many batches may wait. More would only take memory.
  private static let limit = 4

  private let monitor = Monitor()
  private let tables: any TableSet
  private var thread: WorkerThread?
  private var waiting: [RowBatch] = []
  /// Empty batches for the next rows.
  private var written: [RowBatch] = []
  private var hasEnded = false
  private var failure: (any Error)?

  init(_ tables: any TableSet) throws {
    self.tables = tables
    thread = try SystemError.wrapping("start a thread") { () throws(Errno) in try WorkerThread { [self] in run() } }
  }

  /// Hands over a batch, and waits while too many do.
  ///
  /// - Returns: An empty batch of the same table.
  /// - Throws: The error that ended the thread.
  func exchange(_ batch: RowBatch) throws -> RowBatch {
    let result = monitor.locked { () -> Result<RowBatch?, any Error> in
      while waiting.count >= Self.limit, failure == nil { monitor.wait() }
      if let failure { return .failure(failure) }
      waiting.append(batch)
      monitor.signal()
      return .success(written.firstIndex { $0.table == batch.table }.map { written.remove(at: $0) })
    }
    return try result.get() ?? RowBatch(batch.table, width: batch.width)
  }

  /// Waits until everything is written.
  ///
  /// - Throws: The error that ended the thread.
  func finish() throws {
    stop()
    if let failure { throw failure }
  }

  /// Ends the thread, after the batch that it writes if `discards`.
  func stop(discards: Bool = false) {
    monitor.locked {
      hasEnded = true
      if discards { waiting = [] }
      monitor.signal()
    }
    thread?.join()
    thread = nil
  }

  private func run() {
    while let batch = next() {
      do {
        try tables.write(batch)
        batch.removeAll()
        monitor.locked { written.append(batch) }
      } catch {
        monitor.locked {
          failure = error
          waiting = []
          monitor.signal()
        }
        return
      }
    }
  }

  private func next() -> RowBatch? {
    monitor.locked {
      while waiting.isEmpty {
        if hasEnded { return nil }
        monitor.wait()
      }
      monitor.signal()
      return waiting.removeFirst()
    }
  }
}
