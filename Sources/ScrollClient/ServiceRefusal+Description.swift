extension ServiceRefusal: CustomStringConvertible {
  /// The refusal as a message.
  public var description: String {
    switch self {
    case .invalidEvent(let index, let field, let reason): "event \(index) of the call: \(field) \(reason)"
    case .invalidClient(let reason): "the client's name \(reason)"
    case .textTooLong(let parameter, let limit, let given):
      "the \(parameter) has \(given) bytes of UTF-8: it may have at most \(limit)"
    case .tooManyEvents(let limit): "a call may have at most \(limit) events"
    case .tooManySessions(let limit): "you have \(limit) open sessions, the most that the daemon allows"
    case .numberGap(let expected): "the event's number is too high: the next one is \(expected)"
    case .noSuchSession: "no such session"
    case .sessionClosed: "the session is closed"
    case .noSuchRequest: "no such request, or it has been answered"
    case .requestsTakenOver: "another connection now receives the session's requests"
    case .noSpace: "the disk with the daemon's log is full"
    case .noSuchClient: "no client of this name has a session that you may see"
    case .ambiguousClient(let users):
      "several users have a client of this name: choose one by its user id (\(users.map(String.init).joined(separator: ", ")))"
    case .tooManySubscriptions(let limit): "you have \(limit) subscriptions, the most that the daemon allows"
    case .tooManyPatterns(let limit, let given): "the call has \(given) patterns: it may have at most \(limit)"
    case .patternTooLong(let index, let limit, let given):
      "pattern \(index + 1) has \(given) bytes: a pattern may have at most \(limit)"
    case .patternsTooComplex(let limit, let given):
      "the patterns take up to \(given) comparisons for a name: use shorter texts between two *, for at most \(limit)"
    case .noSuchPosition(let last): "the position is beyond the end of the log, which is \(last)"
    case .positionTrimmed(let first): "the log no longer has this position: it begins at position \(first)"
    case .positionTakenBack(let last):
      "the log no longer has this position, after a crash, a repair or a restore: the last one left is \(last)"
    case .logDamaged(_, _, let next?, let lost?): "records were lost in a repair: the positions \(lost) to \(next - 1)"
    case .logDamaged(let file, let offset, _, _): "the log is damaged: \(file), byte \(offset)"
    case .clientAway: "the client is not listening for requests"
    case .badConfiguration(let file, let line, let key, let reason, _, _):
      Self.place(file, line) + (key.map { "\($0)=: " } ?? "") + reason
    case .notRemoved(let file, let reason): "cannot remove \(file): \(reason)"
    case .notForgotten(let reason): "not everything could be forgotten: \(reason)"
    case .clientOpen(let session): "your client of this name has an open session, \(session)"
    case .unknownKeys(let keys): "the daemon does not have the keys of these hashes: \(keys.joined(separator: ", "))"
    case .notImported: "the session was not imported: its client closes it"
    case .backupDisturbed: "the daemon is forgetting records, so that a backup would be incomplete: try again later"
    case .messageTooLarge(let limit):
      "the call is too large: the daemon accepts messages of at most \(limit) bytes (MessageSizeMax=)"
    case .permissionDenied: "permission denied"
    case .invalidParameter(let name): "the daemon does not accept the parameter \(name)"
    case .methodNotFound(let name): "the daemon has no method \(name): it is older than this program"
    case .other(let error, let parameters):
      "the daemon returned the error \(error)" + (parameters.isEmpty ? "" : " \(parameters)")
    }
  }

  /// Returns the refusal as a message that names the client; `nil` when the refusal is not about a client.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - session: What the client lacks: `a session`, `an open session`.
  public func text(about client: String, having session: String = "a session") -> String? {
    switch self {
    case .noSuchClient: "no client “\(client)” has \(session) that you may see"
    case .ambiguousClient(let users):
      "several users have a client “\(client)”: choose one by its user id (\(users.map(String.init).joined(separator: ", ")))"
    case .clientAway: "the client “\(client)” is away: it is not listening for requests"
    default: nil
    }
  }

  private static func place(_ file: String, _ line: Int64?) -> String {
    line.map { "\(file):\($0): " } ?? "\(file): "
  }
}
