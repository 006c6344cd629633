// The log's records, one a reply.

import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// Answers `Read`: the log's records past a position, one a reply.
///
/// A reply says whether another follows, so each is held back until that is known.
final class LogListing: ReplyStream {
  let token: CallToken
  private let after: Position
  private let matches: (SessionID, ClientID) -> Bool
  /// How many records may still be given.
  private var left: Int64
  private var walk: LogWalk?
  /// The last position that is read: the horizon when it began, so that it comes to an end while the log grows.
  private var limit: Position?
  /// The reply that is not sent yet.
  private var held = ByteBuffer()
  /// A record was sent.
  private var hasSent = false
  private var seen: (session: SessionID, matches: Bool)?

  init(token: CallToken, after: Position, limit: Int64, matches: @escaping (SessionID, ClientID) -> Bool) {
    self.token = token
    self.after = after
    self.matches = matches
    left = limit
  }

  var wantsRoom: Bool { true }

  func advance(_ service: Service, _ connection: Connection) -> StreamProgress {
    do throws(ReadError) {
      guard let walk, let limit else {
        walk = try service.walk(from: after)
        walk?.search = SessionSearch(service.segments, where: matches)
        limit = service.projection.position
        return .working
      }
      var observer = ListingObserver(self, connection)
      let step = try walk.advance(through: limit, &observer)
      if case .more = step, left > 0 { return .working }
      sendHeld(connection, continues: false)
    } catch {
      sendHeld(connection, continues: true)
      service.fail(token, connection, error)
    }
    return .ended
  }

  /// Takes a record that the fold came to.
  fileprivate func take(_ record: Record, of session: Session, at place: RecordPlace, _ connection: Connection) {
    guard left > 0, place.position > after else { return }
    if seen?.session != session.id { seen = (session.id, matches(session.id, session.client)) }
    guard seen?.matches == true else { return }
    left -= 1
    if !held.isEmpty { sendHeld(connection, continues: true) }
    held.appendJSON { writer in
      writer.beginObject()
      writer.member("position", place.position)
      writer.member("received", place.received)
      writer.member("client", session.client.name)
      writer.member("user", session.client.user)
      writer.member("session", session.id)
      if case .event(_, let number) = record { writer.member("number", number) }
      writer.member("record", record)
      writer.endObject()
    }
  }

  private func sendHeld(_ connection: Connection, continues: Bool) {
    // Without a record there is still a last reply to give.
    if held.isEmpty, continues { return }
    hasSent = true
    held.withUnsafeReadableBytes { _ = connection.varlink.reply(token, continues: continues, encoded: $0) }
    held.removeAll()
  }

  func heartbeat(_ service: Service, _ connection: Connection) {
    let position = walk?.projection.position ?? after
    connection.varlink.reply(token, continues: true) { $0.member("position", position) }
  }

  func handOver(_ service: Service, _ connection: Connection) -> StreamHandOver { hasSent ? .impossible : .beginsAnew }

  func end(_ service: Service) {}
}

private struct ListingObserver: ProjectionObserver {
  private let listing: LogListing
  private let connection: Connection

  init(_ listing: LogListing, _ connection: Connection) {
    self.listing = listing
    self.connection = connection
  }

  func opened(_ session: Session, at place: RecordPlace) {
    listing.take(.open(session.opening), of: session, at: place, connection)
  }

  func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace) {
    listing.take(.event(event, number: number), of: session, at: place, connection)
  }

  func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    listing.take(.request(request), of: session, at: place, connection)
  }

  func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    listing.take(.response(response), of: session, at: place, connection)
  }

  func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    listing.take(.close(closing), of: session, at: place, connection)
  }
}
