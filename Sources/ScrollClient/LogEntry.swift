internal import JSON
internal import ScrollJSON
import ScrollModel
internal import Varlink

/// A record of the log with its position.
public struct LogEntry: Equatable, Sendable {
  /// What a record says.
  public enum Record: Equatable, Sendable {
    /// The session was opened. The policy is `nil` when the daemon did not send all of its parameters.
    case open(time: UnixMicroseconds, application: String?, title: String?, policy: Policy?)
    /// The scroll view called back.
    case event(Event)
    /// The session was closed. The reason is `nil` when this library does not know it.
    case close(time: UnixMicroseconds, reason: Closing.Reason?)
    /// Somebody asked the client to scroll.
    case request(ScrollRequest)
    /// The client answered a request.
    case response(ScrollResponse)
  }

  /// The record's position in the log.
  public var position: Position
  /// When the daemon received it, by the daemon's clock.
  public var received: UnixMicroseconds
  /// The client's name.
  public var client: String
  /// The client's user id.
  public var user: UInt32
  /// The session.
  public var session: SessionID
  /// An event's number in its session; `nil` for other records.
  public var number: Int64?
  /// What the record says.
  public var record: Record
  /// The record as JSON, in the form of recordings. It has all members, including those that ``record`` lacks.
  public var recordJSON: String

  /// Reads an entry.
  ///
  /// - Returns: `nil` for a reply without a record, which the daemon sends when no record matches.
  init?(_ members: ReplyMembers) throws(ReplyMembers.Unexpected) {
    guard let value = members.value("record") else { return nil }
    position = try members.require("position", members.count("position"))
    received = try members.require("received", members.time("received"))
    client = try members.require("client", members.string("client"))
    user = try members.require("user", members.user("user"))
    session = try members.require("session", members.session("session"))
    number = try members.allow("number", members.count)
    do {
      record = Record(try RecordingLine(json: value))
    } catch {
      throw ReplyMembers.Unexpected(name: "record.\(error.field)")
    }
    recordJSON = String(decoding: JSONWriter.encode { value.write(to: &$0) }, as: UTF8.self)
  }

  /// The entry as JSON, in the daemon's form.
  public var json: String {
    encodeJSON { writer in
      writer.member("position", position)
      writer.member("received", received.rawValue)
      writer.member("client", client)
      writer.member("user", user)
      writer.member("session", session.description)
      writer.member("number", ifPresent: number)
      writer.key("record")
      writer.raw(Array(recordJSON.utf8))
    }
  }
}

extension LogEntry.Record {
  init(_ line: RecordingLine) {
    switch line {
    case .open(let time, _, let application, let title, let policy, _, _):
      self = .open(time: UnixMicroseconds(time), application: application, title: title, policy: policy)
    case .event(let event): self = .event(event)
    case .close(let time, let reason): self = .close(time: UnixMicroseconds(time), reason: reason)
    case .request(let request): self = .request(request)
    case .response(let response): self = .response(response)
    }
  }
}
