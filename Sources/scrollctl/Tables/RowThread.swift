import Platform

/// A thread that writes batches of rows, while the next ones are being made.
///
/// Unchecked: what the threads share is touched within the monitor only. The rows belong to the thread until it has ended.
final class RowThread: @unchecked Sendable {
  /// How many batches may wait. More would only take memory.
  private static let limit = 4

  private let monitor = Monitor()
  private let rows: [SQLiteRows]
  private var thread: WorkerThread?
  private var waiting: [RowBatch] = []
  private var hasEnded = false
  private var failure: (any Error)?

  init(_ rows: [SQLiteRows]) throws {
    self.rows = rows
    thread = try SystemError.wrapping("start a thread") { () throws(Errno) in try WorkerThread { [self] in run() } }
  }

  /// Hands over a batch, and waits while too many do.
  ///
  /// - Throws: The error that ended the thread.
  func submit(_ batch: RowBatch) throws {
    let problem = monitor.locked { () -> (any Error)? in
      while waiting.count >= Self.limit, failure == nil { monitor.wait() }
      waiting.append(batch)
      monitor.signal()
      return failure
    }
    if let problem { throw problem }
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
        try batch.write(to: rows)
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
