import JSON
import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The answer to `Read`: the log's records after a position, one per reply.
///
/// Each reply is withheld until it is known whether another one follows, because it has to say so.
final class LogListing: ReplyStream, LogReading {
  /// How many records a step folds and encodes at most.
  private static let recordsPerStep: Int64 = 256

  let channel: ReplyChannel
  private let history: History
  /// The position after which records are still to be sent.
  private var after: Position
  private let matches: (SessionID, ClientID) -> Bool
  /// How many more records may be sent.
  private var left: Int64
  private var walk: LogWalk?
  /// The last position that is read: the horizon at the beginning, so that the answer ends while the log grows.
  private var last: Position?
  /// The reply that is withheld.
  private var withheld = ByteBuffer()
  private var hasSent = false
  private var seen: (session: SessionID, matches: Bool)?
  /// The client, the user and the session of the last record, as JSON.
  private var identity: (session: SessionID, json: [UInt8])?

  init(
    _ history: History, _ channel: ReplyChannel, after: Position, limit: Int64,
    where matches: @escaping (SessionID, ClientID) -> Bool
  ) {
    self.history = history
    self.channel = channel
    self.after = after
    self.matches = matches
    left = limit
  }

  var wantsRoom: Bool { true }

  var mayRestart: Bool { !hasSent }

  func advance() -> StreamProgress {
    do throws(ReadError) {
      let last = last ?? history.horizon.position
      self.last = last
      guard let walk else {
        guard history.readings.begin(self) else { return .waiting }
        walk = history.walk(from: after, computesStates: false, where: matches)
        walk?.recordsPerStep = Self.recordsPerStep
        walk?.search = history.search(where: matches)
        return .working
      }
      var observer = ListingObserver(self)
      let step = try walk.advance(through: last, &observer)
      if case .more = step, left > 0 {
        if history.readings.count(self) { return .working }
        releaseReading()
        return .waiting
      }
      sendWithheld(continues: false)
    } catch {
      sendWithheld(continues: true)
      channel.fail(history.report(error))
    }
    return .ended
  }

  /// Adds a record that the walk has reached.
  fileprivate func take(_ record: Record, of session: Session, at place: RecordPlace) {
    add(of: session, at: place) { $0.member("record", record) }
  }

  /// Adds an event that the walk has reached. An event is large, and making a record of each would take longer than writing it.
  fileprivate func take(_ event: Event, number: Int64, of session: Session, at place: RecordPlace) {
    add(of: session, at: place) { writer in
      writer.member("number", number)
      writer.member("record", event)
    }
  }

  @inline(__always)
  private func add(of session: Session, at place: RecordPlace, _ members: (inout JSONWriter) -> Void) {
    guard left > 0, place.position > after else { return }
    if seen?.session != session.id { seen = (session.id, matches(session.id, session.client)) }
    guard seen?.matches == true else { return }
    left -= 1
    if !withheld.isEmpty { sendWithheld(continues: true) }
    withheld.appendJSON { writer in
      writer.beginObject()
      writer.member("position", place.position)
      writer.member("received", place.received)
      identity(of: session).withUnsafeBytes { writer.raw($0) }
      members(&writer)
      writer.endObject()
    }
  }

  /// Returns the members of a reply that all records of a session share.
  private func identity(of session: Session) -> [UInt8] {
    if let identity, identity.session == session.id { return identity.json }
    var json = ByteBuffer()
    json.appendJSON { writer in
      writer.member("client", session.client.name.text)
      writer.member("user", session.client.user)
      writer.member("session", session.shownID)
    }
    let bytes = json.bytes
    identity = (session.id, bytes)
    return bytes
  }

  private func sendWithheld(continues: Bool) {
    // Without a record there is still a last reply to send.
    if withheld.isEmpty, continues { return }
    hasSent = true
    channel.send(continues: continues, encoded: withheld)
    withheld.removeAll()
  }

  func sendHeartbeat() {
    let position = max(after, walk?.projection.position ?? after)
    channel.send { $0.member("position", position) }
  }

  func handOver() -> StreamHandOver { hasSent ? .impossible : .restarts }

  func fail(_ error: VarlinkError) { channel.fail(error) }

  func end() { history.readings.end(self) }

  // MARK: Memory

  var heldBytes: Int { withheld.allocatedCount + readingBytes }

  var readingBytes: Int { walk?.heldBytes ?? 0 }

  func releaseReading() {
    guard let walk else { return }
    after = max(after, walk.projection.position)
    self.walk = nil
  }
}

private struct ListingObserver: ProjectionObserver {
  private let listing: LogListing

  init(_ listing: LogListing) { self.listing = listing }

  func opened(_ session: Session, at place: RecordPlace) {
    listing.take(.open(session.opening), of: session, at: place)
  }

  func stepped(_ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace) {
    listing.take(event, number: number, of: session, at: place)
  }

  func passed(_ session: Session, _ event: Event, number: Int64, at place: RecordPlace) {
    listing.take(event, number: number, of: session, at: place)
  }

  func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {
    listing.take(.request(request), of: session, at: place)
  }

  func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {
    listing.take(.response(response), of: session, at: place)
  }

  func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    listing.take(.close(closing), of: session, at: place)
  }
}
