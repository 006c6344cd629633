// A record of the log with its place.

import JSON
import ScrollJSON
import ScrollModel

/// A record of the log with its place.
public struct LogEntry: Equatable, Sendable {
  /// The record's place in the log.
  public var position: Position
  /// When the daemon got it, microseconds since the Unix epoch by its own clock.
  public var received: Int64
  /// The client's name.
  public var client: String
  /// The client's user id.
  public var user: UInt32
  /// The session.
  public var session: SessionID
  /// An event's place in its session; `nil` for records that are none.
  public var number: Int64?
  /// What happened, in the form that recordings have.
  public var record: RecordingLine
  /// The record's JSON form, with what ``record`` leaves out, such as the policy's name in an opening.
  public var json: [UInt8]

  /// Reads an entry; `nil` for the one reply that says that there is none.
  init?(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    guard let value = members.value("record") else { return nil }
    position = try members.require("position", members.int("position"))
    received = try members.require("received", members.int("received"))
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    number = try members.allow("number", members.int)
    do {
      record = try RecordingLine(json: value)
    } catch {
      throw ReplyMembers.Unexpected(name: "record.\(error.field)")
    }
    json = JSONWriter.encode { value.write(to: &$0) }
  }
}

extension LogEntry: JSONWritable {
  /// Writes the entry as the JSON object that the wire has.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("position", position)
    writer.member("received", received)
    writer.member("client", client)
    writer.member("user", user)
    writer.member("session", session.description)
    writer.member("number", ifPresent: number)
    writer.key("record")
    writer.raw(json)
    writer.endObject()
  }
}
