import ScrollLog
import ScrollModel
import Varlink

/// The answer to a resend of events that are so old that only the log still has their positions.
final class ResendQuery: ReplyStream, LogReading {
  let channel: ReplyChannel
  private let history: History
  private let terms: AnswerTerms
  private let session: SessionID
  private let nextNumber: Int64
  private var reader: LogReader

  /// - Parameters:
  ///   - nextNumber: The number after the last resent event.
  ///   - after: A position before that event.
  init(
    _ history: History, _ channel: ReplyChannel, _ terms: AnswerTerms, session: SessionID, nextNumber: Int64,
    after: Position
  ) {
    self.history = history
    self.channel = channel
    self.terms = terms
    self.session = session
    self.nextNumber = nextNumber
    // Retention may have removed the session's beginning, but not the event.
    reader = history.reader(after: max(after, history.firstPosition - 1))
  }

  var wantsRoom: Bool { false }

  func advance() -> StreamProgress {
    guard history.readings.begin(self) else { return .waiting }
    do throws(ReadError) {
      switch try reader.next(through: history.horizon.position) {
      case .skipped: return progress
      case .atHorizon: answer(0)
      case .block(let block):
        guard let position = try find(in: block) else { return progress }
        answer(position)
      }
    } catch {
      if case .positionTrimmed(let first) = error {
        // Retention removed what was being read, but maybe not the event.
        reader = history.reader(after: first - 1)
        return .working
      }
      channel.fail(history.report(error))
    }
    return .ended
  }

  private var progress: StreamProgress {
    if history.readings.count(self) { return .working }
    releaseReading()
    return .waiting
  }

  private func find(in block: BlockView) throws(ReadError) -> Position? {
    var records = block.records()
    do throws(ContentError) {
      while let stored = try records.next() {
        if stored.session == session, case .event(_, number: nextNumber - 1) = stored.record {
          return stored.position
        }
      }
    } catch {
      throw history.damage(at: block.firstPosition, error)
    }
    return nil
  }

  private func answer(_ position: Position) {
    channel.answer(.appended(position: position, nextNumber: nextNumber), terms)
  }

  func sendHeartbeat() {
    // The answer to Append is a single reply, so none can precede it.
  }

  func handOver() -> StreamHandOver { .restarts }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() { history.readings.end(self) }

  // MARK: Memory

  var heldBytes: Int { readingBytes }

  var readingBytes: Int { reader.heldBytes }

  func releaseReading() { reader = history.reader(after: reader.position) }
}
