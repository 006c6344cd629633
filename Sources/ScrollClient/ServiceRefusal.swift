// What the daemon refuses calls with.

import JSON
import ScrollModel
import Varlink

/// What the daemon refuses calls with: the errors of its interfaces. Nothing of a refused call is stored.
public enum ServiceRefusal: Equatable, Sendable {
  // org.scrolld.Recorder

  /// The event at an index of the call, 0 for the first: the field at fault, and the reason worded to follow its name.
  case invalidEvent(index: Int, field: String, reason: String)
  /// The client's name is none.
  case invalidClient(reason: String)
  /// The call holds more events than one may.
  case tooManyEvents(limit: Int)
  /// The user has as many sessions open as one may.
  case tooManySessions(limit: Int)
  /// An event's number is too far; `expected` would be right.
  case numberGap(expected: Int64)
  /// No session of this id was ever opened.
  case noSuchSession
  /// The session is closed.
  case sessionClosed
  /// The session has no such request, or it is answered already.
  case noSuchRequest
  /// Another stream gets the session's requests now.
  case requestsTakenOver
  /// The disk is full. Appending works again when there is room.
  case noSpace

  // org.scrolld.Observer

  /// No client of this name that the caller may see has a session, or none had then.
  case noSuchClient
  /// Clients of several users have this name.
  case ambiguousClient(users: [UInt32])
  /// The user has as many subscriptions as one may.
  case tooManySubscriptions(limit: Int)
  /// The position lies beyond the end of the log.
  case noSuchPosition(last: Position)
  /// The log no longer reaches back so far.
  case positionTrimmed(first: Position)
  /// The position was taken back by a crash; `last` is the last one that both histories share.
  case positionTakenBack(last: Position)
  /// A part of the log that is needed is damaged. `next` is the first position behind the file; `nil` behind the last one.
  case logDamaged(file: String, offset: Int64, next: Position?)
  /// The client is not listening for requests.
  case clientAway

  // org.scrolld.Manager

  /// The configuration is refused and the old one stays. What can't be told is `nil`.
  case badConfiguration(file: String, line: Int64?, key: String?, reason: String)

  /// A file of the log can't be removed, and neither are those behind it.
  case notRemoved(file: String, reason: String)

  /// Some of what was to be forgotten may still be there; the reason says where.
  case notForgotten(reason: String)

  /// The client has this session open, so that no other can be imported.
  case clientOpen(session: SessionID)

  /// Records are being forgotten: a copy of the log is to be thrown away and made anew.
  case backupDisturbed

  // org.varlink.service

  /// The caller may not do this.
  case permissionDenied
  /// A parameter of the call is missing or wrong.
  case invalidParameter(String)
  /// The daemon is older than this method.
  case methodNotFound(String)
  /// An error that this library doesn't know.
  case other(VarlinkError)

  /// Reads an error reply.
  init(_ error: VarlinkError) {
    self = Self.known(error) ?? .other(error)
  }

  private static func known(_ error: VarlinkError) -> ServiceRefusal? {
    if error.parameters.isEmpty { return known(error.name, ReplyMembers(nil)) }
    // What can't be read is an error that isn't known.
    return try? JSONParser().parse(error.parameters) { known(error.name, ReplyMembers($0.asObject)) }
  }

  /// The error of a name; `nil` when there is none, or its parameters are not those that the interface names.
  private static func known(_ name: String, _ members: ReplyMembers) -> ServiceRefusal? {
    switch name {
    case "org.scrolld.Recorder.InvalidEvent":
      guard let index = members.int("index"), let field = members.string("field"),
        let reason = members.string("reason")
      else { return nil }
      return .invalidEvent(index: Int(index), field: field, reason: reason)
    case "org.scrolld.Recorder.InvalidClient": return members.string("reason").map { .invalidClient(reason: $0) }
    case "org.scrolld.Recorder.TooManyEvents": return members.int("limit").map { .tooManyEvents(limit: Int($0)) }
    case "org.scrolld.Recorder.TooManySessions": return members.int("limit").map { .tooManySessions(limit: Int($0)) }
    case "org.scrolld.Recorder.NumberGap": return members.int("expected").map { .numberGap(expected: $0) }
    case "org.scrolld.Recorder.NoSuchSession": return .noSuchSession
    case "org.scrolld.Recorder.SessionClosed": return .sessionClosed
    case "org.scrolld.Recorder.NoSuchRequest": return .noSuchRequest
    case "org.scrolld.Recorder.RequestsTakenOver": return .requestsTakenOver
    case "org.scrolld.Recorder.NoSpace", "org.scrolld.Observer.NoSpace", "org.scrolld.Manager.NoSpace": return .noSpace
    case "org.scrolld.Observer.NoSuchClient": return .noSuchClient
    case "org.scrolld.Observer.AmbiguousClient":
      guard let users = members.ints("users") else { return nil }
      return .ambiguousClient(users: users.compactMap { UInt32(exactly: $0) })
    case "org.scrolld.Observer.TooManySubscriptions":
      return members.int("limit").map { .tooManySubscriptions(limit: Int($0)) }
    case "org.scrolld.Observer.NoSuchPosition": return members.int("last").map { .noSuchPosition(last: $0) }
    case "org.scrolld.Observer.PositionTrimmed": return members.int("first").map { .positionTrimmed(first: $0) }
    case "org.scrolld.Observer.PositionTakenBack": return members.int("last").map { .positionTakenBack(last: $0) }
    case "org.scrolld.Observer.LogDamaged":
      guard let file = members.string("file"), let offset = members.int("offset") else { return nil }
      return .logDamaged(file: file, offset: offset, next: members.int("next"))
    case "org.scrolld.Observer.ClientAway": return .clientAway
    case "org.scrolld.Manager.BadConfiguration":
      guard let file = members.string("file"), let reason = members.string("reason") else { return nil }
      return .badConfiguration(file: file, line: members.int("line"), key: members.string("key"), reason: reason)
    case "org.scrolld.Manager.NotRemoved":
      guard let file = members.string("file"), let reason = members.string("reason") else { return nil }
      return .notRemoved(file: file, reason: reason)
    case "org.scrolld.Manager.NotForgotten": return members.string("reason").map { .notForgotten(reason: $0) }
    case "org.scrolld.Manager.ClientOpen": return members.session("session").map { .clientOpen(session: $0) }
    case "org.scrolld.Manager.BackupDisturbed": return .backupDisturbed
    case "org.varlink.service.PermissionDenied": return .permissionDenied
    case "org.varlink.service.InvalidParameter": return members.string("parameter").map { .invalidParameter($0) }
    case "org.varlink.service.MethodNotFound": return members.string("method").map { .methodNotFound($0) }
    default: return nil
    }
  }
}
