import JSON
import ScrollJSON
import ScrollModel

/// A record as the daemon sent it, in the form in which it is stored.
public struct FollowedRecord: Equatable, Sendable {
  /// What an event changed in the session's state.
  public struct Change: Equatable, Sendable {
    /// The toolbar after it.
    public var toolbar: String
    /// The trigger after it.
    public var trigger: String?
    /// Whether the bottom is on screen after it.
    public var reachBottom: Bool
    /// The names of the fields that changed.
    public var changed: [String]
    /// The clause that decided.
    public var reason: String?
  }

  /// What a session came to.
  public struct Summary: Equatable, Sendable {
    /// How many events it had.
    public var events: Int64
    /// Microseconds.
    public var duration: Int64?
    /// From 0 to 1.
    public var reach: Double?
    /// How often the toolbar turned.
    public var flips: Int64?
    /// How many of these undid another one within 300 ms.
    public var flickers: Int64?
  }

  /// The position in the log.
  public var position: Position
  /// When the daemon received it, microseconds since the Unix epoch.
  public var received: Int64
  /// The id under which the log has its session.
  public var session: SessionID
  /// An event's number in its session.
  public var number: Int64?
  /// What it is: an event's kind, or `open`, `close`, `request` or `response`.
  public var kind: String
  /// When it happened by the client's clock, microseconds since the Unix epoch.
  public var time: Int64
  /// The horizontal offset, in points.
  public var x: Double?
  /// The vertical offset, in points.
  public var y: Double?
  /// The other members as a JSON object in UTF-8, without the client's name; empty if there are none.
  public var body: [UInt8]
  /// What an event changed.
  public var change: Change?
  /// What a session came to, of a closing.
  public var summary: Summary?
  /// Why a session was closed.
  public var closingReason: String?
  /// The application and the title of an opening.
  public var application: String?
  /// What the scroll view shows, of an opening.
  public var title: String?

  /// Creates a record without a body.
  init(position: Position, received: Int64 = 0, session: SessionID, number: Int64? = nil, kind: String, time: Int64 = 0)
  {
    self.position = position
    self.received = received
    self.session = session
    self.number = number
    self.kind = kind
    self.time = time
    body = []
  }

  /// Reads an element of the reply's `records`.
  ///
  /// - Throws: ``MalformedFollow``.
  init(_ json: JSONValue) throws(MalformedFollow) {
    guard let position = json["position"]?.asInt64, let received = json["received"]?.asInt64,
      let session = json["session"]?.asText.flatMap({ SessionID(digits: $0.bytes) }),
      let record = json["record"]?.asObject
    else { throw MalformedFollow("records") }
    let number = json["number"]?.asInt64
    self.init(position: position, received: received, session: session, number: number, kind: "")
    var kind: String?
    var time: Int64?
    var hasMore = false
    for member in record {
      switch member.name {
      case "kind": kind = member.value.asString
      case "time": time = member.value.asInt64
      case "x": x = member.value.asDouble
      case "y": y = member.value.asDouble
      case "client": break
      default: hasMore = true
      }
    }
    guard let kind, let time else { throw MalformedFollow("record") }
    self.kind = kind
    self.time = time
    body = hasMore ? Self.body(of: record) : []
    switch kind {
    case "open":
      application = record["application"]?.asString
      title = record["title"]?.asString
    case "close":
      closingReason = record["reason"]?.asString
      summary = try json["summary"].map { value throws(MalformedFollow) in try Summary(value) }
    default:
      change = try json["change"].map { value throws(MalformedFollow) in try Change(value) }
    }
  }

  private static func body(of record: JSONObject) -> [UInt8] {
    JSONWriter.encode { writer in
      writer.beginObject()
      for member in record {
        switch member.name {
        case "kind", "time", "x", "y", "client": continue
        default: break
        }
        writer.key(utf8: member.name.bytes)
        StoredText.write(member.value, to: &writer)
      }
      writer.endObject()
    }
  }

  /// How much memory it takes, in bytes.
  var size: Int { 320 + body.count + (application?.utf8.count ?? 0) + (title?.utf8.count ?? 0) }
}

extension FollowedRecord.Change {
  fileprivate init(_ json: JSONValue) throws(MalformedFollow) {
    guard let toolbar = json["toolbar"]?.asString, let reachBottom = json["reachBottom"]?.asBool,
      let changed = json["changed"]?.asArray
    else { throw MalformedFollow("change") }
    self.toolbar = toolbar
    self.reachBottom = reachBottom
    trigger = json["trigger"]?.asString
    self.changed = changed.compactMap(\.asString)
    reason = json["reason"]?.asString
  }
}

extension FollowedRecord.Summary {
  fileprivate init(_ json: JSONValue) throws(MalformedFollow) {
    guard let events = json["events"]?.asInt64 else { throw MalformedFollow("summary") }
    self.events = events
    duration = json["duration"]?.asInt64
    reach = json["reach"]?.asDouble
    flips = json["flips"]?.asInt64
    flickers = json["flickers"]?.asInt64
  }
}

/// A reply to `Follow` that is not as the interface says.
public struct MalformedFollow: Error, Equatable, Sendable, CustomStringConvertible {
  /// The member that is missing or wrong.
  public var member: String

  init(_ member: String) { self.member = member }

  /// The error as a phrase for people.
  public var description: String { "the daemon's reply to Follow has a bad “\(member)”" }
}
