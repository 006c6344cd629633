// Where an event stands that was stored long ago.

import ScrollLog
import ScrollModel
import Varlink

/// Answers a resend of events that were stored so long ago that only the log still knows where.
final class ResendQuery: ReplyStream {
  let token: CallToken
  private let session: SessionID
  private let nextNumber: Int64
  private var reader: LogReader

  init(token: CallToken, session: SessionID, nextNumber: Int64, log segments: SegmentList, after: Position) {
    self.token = token
    self.session = session
    self.nextNumber = nextNumber
    // Where the session began may be gone; what is left may still hold the event.
    reader = LogReader(segments, after: max(after, segments.firstPosition - 1))
  }

  var wantsRoom: Bool { false }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    do throws(ReadError) {
      switch try reader.next(through: service.projection.position) {
      case .skipped: return .working
      case .atHorizon: answer(0, service, connection)
      case .block(let block):
        guard let position = try find(in: block, service.segments) else { return .working }
        answer(position, service, connection)
      }
    } catch {
      if case .positionTrimmed(let first) = error {
        // What was being read went meanwhile; what is left may still hold the event.
        reader = LogReader(service.segments, after: first - 1)
        return .working
      }
      service.fail(token, connection, error)
    }
    return .ended
  }

  private func find(in block: BlockView, _ segments: SegmentList) throws(ReadError) -> Position? {
    var records = block.records()
    do throws(ContentError) {
      while let stored = try records.next() {
        if stored.session == session, case .event(_, number: nextNumber - 1) = stored.record {
          return stored.position
        }
      }
    } catch {
      throw .logDamaged(segments.damage(at: block.firstPosition, "\(error)"))
    }
    return nil
  }

  private func answer(_ position: Position, _ service: Service, _ connection: Connection) {
    service.give(.append(position: position, nextNumber: nextNumber), to: token, connection)
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    // Append has one answer, so there is nothing to say before it.
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver { .beginsAnew }

  func end(_ service: Service) {}
}
