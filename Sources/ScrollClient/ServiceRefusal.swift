internal import JSON
import ScrollModel
internal import Varlink

/// Why the daemon refuses a call: the errors of its interfaces. It stores nothing of a refused call.
public enum ServiceRefusal: Equatable, Sendable {
  // org.scrolld.Recorder

  /// The event at an index of the call, 0 for the first, is invalid. The reason is worded to follow the field's name.
  case invalidEvent(index: Int, field: String, reason: String)
  /// The client's name is invalid.
  case invalidClient(reason: String)
  /// A text of the call, such as the title, has more bytes than the daemon stores.
  case textTooLong(parameter: String, limit: Int, given: Int)
  /// The call has too many events.
  case tooManyEvents(limit: Int)
  /// The user has the most sessions open that the daemon allows.
  case tooManySessions(limit: Int)
  /// An event's number is too high; the daemon expected this one.
  case numberGap(expected: Int64)
  /// No session of this id exists.
  case noSuchSession
  /// The session is closed.
  case sessionClosed
  /// The session has no such request, or the request has been answered.
  case noSuchRequest
  /// Another stream now receives the session's requests.
  case requestsTakenOver
  /// The disk is full. Appending works again when it has room.
  case noSpace

  // org.scrolld.Observer

  /// No client of this name that the caller may see has a session, or had one at that moment.
  case noSuchClient
  /// Several users have a client of this name.
  case ambiguousClient(users: [UInt32])
  /// The user has the most subscriptions that the daemon allows.
  case tooManySubscriptions(limit: Int)
  /// The call has more patterns over client names than it may have.
  case tooManyPatterns(limit: Int, given: Int)
  /// A pattern over client names, 0 for the first, has more bytes than it may have.
  case patternTooLong(index: Int, limit: Int, given: Int)
  /// The patterns over client names may take more comparisons for a name than a call may cause.
  case patternsTooComplex(limit: Int, given: Int)
  /// The position is beyond the end of the log.
  case noSuchPosition(last: Position)
  /// The log no longer has this position; it begins at `first`.
  case positionTrimmed(first: Position)
  /// A crash, a repair or a restore took the position back; `last` is the last one that both generations share.
  case positionTakenBack(last: Position)
  /// A part of the log that the call needs is damaged. `next` is the first position after the damaged file; `nil` when it is
  /// the last file. If a repair has given up records there, `lost` is the position of the first one, and nothing else is wrong.
  case logDamaged(file: String, offset: Int64, next: Position?, lost: Position? = nil)
  /// The client is not listening for requests.
  case clientAway

  // org.scrolld.Manager

  /// The configuration is invalid, and the daemon keeps the old one. The line and key are `nil` where they don't apply. This
  /// is the first error of the files; `others` is the number of further ones, and `check` the command that lists them all,
  /// `nil` when an older daemon does not say.
  case badConfiguration(
    file: String, line: Int64?, key: String?, reason: String, others: Int64 = 0, check: String? = nil)

  /// The daemon cannot remove a file of the log, and keeps the files after it as well.
  case notRemoved(file: String, reason: String)

  /// The daemon could not forget everything; the reason says what may be left.
  case notForgotten(reason: String)

  /// The client has this session open, so that you cannot import another one.
  case clientOpen(session: SessionID)

  /// Names were hashed with keys that the daemon does not have; their ids.
  case unknownKeys([String])

  /// The session was not imported, so that it can't end as an import.
  case notImported

  /// The daemon is forgetting records, so that a copy of the log is invalid and must be made again.
  case backupDisturbed

  // Any call

  /// The call's message has more bytes than the daemon accepts, and the daemon has closed the connection.
  case messageTooLarge(limit: Int)

  // org.varlink.service

  /// The caller may not do this.
  case permissionDenied
  /// A parameter of the call is missing or wrong.
  case invalidParameter(String)
  /// The daemon does not have this method, because it is older than this library.
  case methodNotFound(String)
  /// An error that this library does not know: its full name, and its parameters as JSON.
  case other(error: String, parameters: String)

  /// Reads an error reply.
  init(_ error: VarlinkError) {
    self =
      Self.known(error) ?? .other(error: error.name, parameters: String(decoding: error.parameters, as: UTF8.self))
  }

  private static func known(_ error: VarlinkError) -> ServiceRefusal? {
    if error.parameters.isEmpty { return known(error.name, ReplyMembers(nil)) }
    // An error that can't be read is an unknown one.
    return try? JSONParser().parse(error.parameters) { known(error.name, ReplyMembers($0.asObject)) }
  }

  /// Returns the error of a name; `nil` when the name is unknown or the parameters don't match the interface.
  private static func known(_ name: String, _ members: ReplyMembers) -> ServiceRefusal? {
    switch name {
    case "org.scrolld.Recorder.InvalidEvent":
      guard let index = members.count("index"), let field = members.string("field"),
        let reason = members.string("reason")
      else { return nil }
      return .invalidEvent(index: Int(index), field: field, reason: reason)
    case "org.scrolld.Recorder.InvalidClient": return members.string("reason").map { .invalidClient(reason: $0) }
    case "org.scrolld.Recorder.TextTooLong":
      guard let parameter = members.string("parameter"), let limit = members.count("limit"),
        let given = members.count("given")
      else { return nil }
      return .textTooLong(parameter: parameter, limit: Int(limit), given: Int(given))
    case "org.scrolld.Recorder.TooManyEvents": return members.count("limit").map { .tooManyEvents(limit: Int($0)) }
    case "org.scrolld.Recorder.TooManySessions": return members.count("limit").map { .tooManySessions(limit: Int($0)) }
    case "org.scrolld.Recorder.NumberGap": return members.count("expected").map { .numberGap(expected: $0) }
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
      return members.count("limit").map { .tooManySubscriptions(limit: Int($0)) }
    case "org.scrolld.Observer.TooManyPatterns":
      guard let limit = members.count("limit"), let given = members.count("given") else { return nil }
      return .tooManyPatterns(limit: Int(limit), given: Int(given))
    case "org.scrolld.Observer.PatternTooLong":
      guard let index = members.count("index"), let limit = members.count("limit"), let given = members.count("given")
      else {
        return nil
      }
      return .patternTooLong(index: Int(index), limit: Int(limit), given: Int(given))
    case "org.scrolld.Observer.PatternsTooComplex":
      guard let limit = members.count("limit"), let given = members.count("given") else { return nil }
      return .patternsTooComplex(limit: Int(limit), given: Int(given))
    case "org.scrolld.Observer.NoSuchPosition": return members.count("last").map { .noSuchPosition(last: $0) }
    case "org.scrolld.Observer.PositionTrimmed": return members.count("first").map { .positionTrimmed(first: $0) }
    case "org.scrolld.Observer.PositionTakenBack": return members.count("last").map { .positionTakenBack(last: $0) }
    case "org.scrolld.Observer.LogDamaged":
      guard let file = members.string("file"), let offset = members.count("offset") else { return nil }
      return .logDamaged(file: file, offset: offset, next: members.count("next"), lost: members.count("lost"))
    case "org.scrolld.Observer.ClientAway": return .clientAway
    case "org.scrolld.Manager.BadConfiguration":
      guard let file = members.string("file"), let reason = members.string("reason") else { return nil }
      return .badConfiguration(
        file: file, line: members.count("line"), key: members.string("key"), reason: reason,
        others: members.count("others") ?? 0, check: members.string("check"))
    case "org.scrolld.Manager.NotRemoved":
      guard let file = members.string("file"), let reason = members.string("reason") else { return nil }
      return .notRemoved(file: file, reason: reason)
    case "org.scrolld.Manager.NotForgotten": return members.string("reason").map { .notForgotten(reason: $0) }
    case "org.scrolld.Manager.ClientOpen": return members.session("session").map { .clientOpen(session: $0) }
    case "org.scrolld.Manager.UnknownKeys": return members.strings("keys").map { .unknownKeys($0) }
    case "org.scrolld.Manager.NotImported": return .notImported
    case "org.scrolld.Manager.BackupDisturbed": return .backupDisturbed
    case "org.scrolld.MessageTooLarge": return members.count("limit").map { .messageTooLarge(limit: Int($0)) }
    case "org.varlink.service.PermissionDenied": return .permissionDenied
    case "org.varlink.service.InvalidParameter": return members.string("parameter").map { .invalidParameter($0) }
    case "org.varlink.service.MethodNotFound": return members.string("method").map { .methodNotFound($0) }
    default: return nil
    }
  }
}
