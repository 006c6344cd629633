internal import JSON
import ScrollModel
internal import Varlink

/// What a session of the log comes to.
public struct SessionSummary: Equatable, Sendable {
  /// The client's name.
  public var client: String
  /// The client's user id.
  public var user: UInt32
  /// The session.
  public var session: SessionID
  /// The application's name and version.
  public var application: String?
  /// The title of what the client showed.
  public var title: String?
  /// The name of the session's policy.
  public var policy: String
  /// The position of the opening.
  public var position: Position
  /// When the session was opened, by the client's clock if it gave a time.
  public var opened: UnixMicroseconds
  /// When the daemon received the opening.
  public var received: UnixMicroseconds
  /// When the daemon received the last record.
  public var lastReceived: UnixMicroseconds
  /// When the session was closed; `nil` while it is open.
  public var closed: UnixMicroseconds?
  /// Why the session was closed; `nil` while it is open, and when this library does not know the reason.
  public var reason: Closing.Reason?
  /// Whether the log has the session's beginning.
  public var isWhole: Bool
  /// The number of events.
  public var events: Int64
  /// The time from the first event to the last or to the closing, in microseconds; `nil` when unknown, as the following are.
  public var duration: Int64?
  /// How much of the content was ever on screen, from 0 to 1.
  public var reach: Double?
  /// How often the toolbar turned.
  public var flips: Int64?
  /// How many flips undid another one within 300 ms.
  public var flickers: Int64?
  /// The summary as JSON, in the daemon's form.
  public var json: String

  /// Reads a summary.
  ///
  /// - Returns: `nil` for a reply without one, which the daemon sends when no session matches.
  init?(reply: ReplyMembers) throws(ReplyMembers.Unexpected) {
    guard let value = reply.value("summary"), let members = reply.members("summary") else { return nil }
    try self.init(members, json: String(decoding: JSONWriter.encode { value.write(to: &$0) }, as: UTF8.self))
  }

  private init(_ members: ReplyMembers, json: String) throws(ReplyMembers.Unexpected) {
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    application = try members.allow("application", members.string)
    title = try members.allow("title", members.string)
    policy = try members.require("policy", members.string("policy"))
    position = try members.require("position", members.count("position"))
    opened = try members.require("opened", members.time("opened"))
    received = try members.require("received", members.time("received"))
    lastReceived = try members.require("lastReceived", members.time("lastReceived"))
    closed = try members.allow("closed", members.time)
    reason = try members.allow("reason", members.string).flatMap(Closing.Reason.init(named:))
    isWhole = try members.require("whole", members.bool("whole"))
    events = try members.require("events", members.count("events"))
    duration = try members.allow("duration", members.count)
    reach = try members.allow("reach", members.share)
    flips = try members.allow("flips", members.count)
    flickers = try members.allow("flickers", members.count)
    self.json = json
  }
}

extension SessionSummary {
  /// Reads a reply of the daemon that has a summary and nothing unusual, in a fraction of the time that parsing takes.
  ///
  /// It accepts only the members that the daemon sends, in its order and without spaces, and texts in ASCII without escapes.
  ///
  /// - Parameter continues: Becomes whether more replies follow.
  /// - Returns: `nil` for every other reply, which has to be parsed.
  init?(plain message: UnsafeRawBufferPointer, continues: inout Bool) {
    guard var scanner = PlainScanner(message), scanner.skip("{\"parameters\":{\"summary\":") else { return nil }
    do throws(UnusualReply) { try self.init(&scanner) } catch { return nil }
    continues = scanner.skip("},\"continues\":true}")
    guard continues || scanner.skip("}}"), scanner.isAtEnd else { return nil }
  }

  private init(_ scanner: inout PlainScanner) throws(UnusualReply) {
    let start = scanner.address
    client = try scanner.required("{\"client\":") { $0.text()?.string }
    user = try scanner.required(",\"user\":") { $0.natural().flatMap { UInt32(exactly: $0) } }
    session = try scanner.required(",\"session\":") { $0.text().flatMap { SessionID(digits: $0.bytes) } }
    application = try scanner.optional(",\"application\":") { $0.text()?.string }
    title = try scanner.optional(",\"title\":") { $0.text()?.string }
    policy = try scanner.required(",\"policy\":") { $0.text()?.string }
    position = try scanner.required(",\"position\":") { $0.natural() }
    opened = try scanner.required(",\"opened\":") { $0.time() }
    received = try scanner.required(",\"received\":") { $0.time() }
    lastReceived = try scanner.required(",\"lastReceived\":") { $0.time() }
    closed = try scanner.optional(",\"closed\":") { $0.time() }
    let reasonName = try scanner.optional(",\"reason\":") { $0.text()?.string }
    reason = reasonName.flatMap(Closing.Reason.init(named:))
    isWhole = try scanner.required(",\"whole\":") { $0.skip("true") ? true : $0.skip("false") ? false : nil }
    events = try scanner.required(",\"events\":") { $0.natural() }
    duration = try scanner.optional(",\"duration\":") { $0.natural() }
    reach = try scanner.optional(",\"reach\":") { $0.share() }
    flips = try scanner.optional(",\"flips\":") { $0.natural() }
    flickers = try scanner.optional(",\"flickers\":") { $0.natural() }
    guard scanner.skip("}") else { throw UnusualReply() }
    json = String(decoding: UnsafeRawBufferPointer(start: start, count: scanner.address - start), as: UTF8.self)
  }
}

/// A reply that has to be parsed.
private struct UnusualReply: Error {}

extension PlainScanner {
  @inline(__always)
  fileprivate mutating func required<Value>(
    _ name: StaticString, _ read: (inout PlainScanner) -> Value?
  ) throws(UnusualReply) -> Value {
    guard skip(name), let value = read(&self) else { throw UnusualReply() }
    return value
  }

  @inline(__always)
  fileprivate mutating func optional<Value>(
    _ name: StaticString, _ read: (inout PlainScanner) -> Value?
  ) throws(UnusualReply) -> Value? {
    guard skip(name) else { return nil }
    guard let value = read(&self) else { throw UnusualReply() }
    return value
  }

  fileprivate mutating func time() -> UnixMicroseconds? { natural().map { UnixMicroseconds($0) } }

  fileprivate mutating func share() -> Double? {
    let start = self
    guard let value = number() ?? longNumber(from: start), (0...1).contains(value) else { return nil }
    return value
  }

  /// Reads a number with so many digits that it takes more than a division.
  private mutating func longNumber(from start: PlainScanner) -> Double? {
    self = start
    guard skipNumber() else { return nil }
    let digits = UnsafeRawBufferPointer(start: start.address, count: address - start.address)
    return Double(String(decoding: digits, as: UTF8.self))
  }
}

extension Closing.Reason {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0.name)", $0) })

  fileprivate init?(named name: String) {
    guard let reason = Self.byName[name] else { return nil }
    self = reason
  }
}
