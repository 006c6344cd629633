extension ServiceRefusal: CustomStringConvertible {
  /// The refusal as a message.
  public var description: String {
    switch self {
    case .invalidEvent(let index, let field, let reason): "event \(index) of the call: \(field) \(reason)"
    case .invalidClient(let reason): "the client's name \(reason)"
    case .tooManyEvents(let limit): "a call may hold at most \(limit) events"
    case .tooManySessions(let limit): "a user may have at most \(limit) sessions open, and you have"
    case .numberGap(let expected): "an event's number is too far: the next one is \(expected)"
    case .noSuchSession: "there is no such session"
    case .sessionClosed: "the session is closed"
    case .noSuchRequest: "the session has no such request, or it is answered already"
    case .requestsTakenOver: "another connection gets the session's requests now"
    case .noSpace: "the disk with the daemon's log is full"
    case .noSuchClient: "no client of this name has a session that you may see"
    case .ambiguousClient(let users):
      "clients of several users have this name: say whose (\(users.map(String.init).joined(separator: ", ")))"
    case .tooManySubscriptions(let limit): "a user may have at most \(limit) subscriptions, and you have"
    case .noSuchPosition(let last): "the position lies beyond the end of the log, which is \(last)"
    case .positionTrimmed(let first): "the log no longer reaches back so far: it begins at position \(first)"
    case .positionTakenBack(let last): "a crash took the position back: the last one that stayed is \(last)"
    case .logDamaged(let file, let offset, _): "the log is damaged: \(file), byte \(offset)"
    case .clientAway: "the client is not listening for requests"
    case .badConfiguration(let file, let line, let key, let reason):
      Self.place(file, line) + (key.map { "\($0)=: " } ?? "") + reason
    case .notRemoved(let file, let reason): "cannot remove \(file): \(reason)"
    case .notForgotten(let reason): "some of it may still be there: \(reason)"
    case .clientOpen(let session): "you have a client of this name with an open session, \(session)"
    case .backupDisturbed: "something is being forgotten: a backup made meanwhile would not be whole"
    case .permissionDenied: "permission denied"
    case .invalidParameter(let name): "the daemon doesn't take the parameter \(name)"
    case .methodNotFound(let name): "the daemon doesn't have \(name): it is older than this program"
    case .other(let error, let parameters):
      "the daemon answered \(error)" + (parameters.isEmpty ? "" : " \(parameters)")
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
      "clients of several users are named “\(client)”: say whose (\(users.map(String.init).joined(separator: ", ")))"
    case .clientAway: "the client “\(client)” is away: it is not listening for requests"
    default: nil
    }
  }

  private static func place(_ file: String, _ line: Int64?) -> String {
    line.map { "\(file):\($0): " } ?? "\(file): "
  }
}
