import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The errors that the interfaces declare.
enum ServiceError {
  // Of the connection, whatever it called

  static func messageTooLarge(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.MessageTooLarge") { $0.member("limit", limit) }
  }

  // org.scrolld.Recorder

  static func invalidEvent(index: Int, _ problem: EventProblem) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.InvalidEvent") {
      $0.member("index", index)
      $0.member("field", problem.field)
      $0.member("reason", problem.reason)
    }
  }

  static func invalidClient(_ problem: EventProblem) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.InvalidClient") { $0.member("reason", problem.reason) }
  }

  static func textTooLong(_ parameter: String, limit: Int, given: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.TextTooLong") {
      $0.member("parameter", parameter)
      $0.member("limit", limit)
      $0.member("given", given)
    }
  }

  static func tooManyEvents(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.TooManyEvents") { $0.member("limit", limit) }
  }

  static func tooManySessions(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.TooManySessions") { $0.member("limit", limit) }
  }

  static func numberGap(expected: Int64) -> VarlinkError {
    VarlinkError("org.scrolld.Recorder.NumberGap") { $0.member("expected", expected) }
  }

  static let noSuchSession = VarlinkError("org.scrolld.Recorder.NoSuchSession")
  static let sessionClosed = VarlinkError("org.scrolld.Recorder.SessionClosed")
  static let noSuchRequest = VarlinkError("org.scrolld.Recorder.NoSuchRequest")
  static let requestsTakenOver = VarlinkError("org.scrolld.Recorder.RequestsTakenOver")
  static let recorderNoSpace = VarlinkError("org.scrolld.Recorder.NoSpace")

  // org.scrolld.Observer

  static let noSuchClient = VarlinkError("org.scrolld.Observer.NoSuchClient")
  static let clientAway = VarlinkError("org.scrolld.Observer.ClientAway")
  static let observerNoSpace = VarlinkError("org.scrolld.Observer.NoSpace")

  static func ambiguousClient(users: [UInt32]) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.AmbiguousClient") { $0.member("users", users) }
  }

  static func tooManySubscriptions(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.TooManySubscriptions") { $0.member("limit", limit) }
  }

  static func tooManyPatterns(limit: Int, given: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.TooManyPatterns") {
      $0.member("limit", limit)
      $0.member("given", given)
    }
  }

  /// - Parameter index: The pattern's place among the call's patterns, 0 for the first.
  static func patternTooLong(index: Int, limit: Int, given: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.PatternTooLong") {
      $0.member("index", index)
      $0.member("limit", limit)
      $0.member("given", given)
    }
  }

  static func patternsTooComplex(limit: Int, given: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.PatternsTooComplex") {
      $0.member("limit", limit)
      $0.member("given", given)
    }
  }

  static func noSuchPosition(last: Position) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.NoSuchPosition") { $0.member("last", last) }
  }

  static func positionTrimmed(first: Position) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.PositionTrimmed") { $0.member("first", first) }
  }

  static func positionTakenBack(last: Position) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.PositionTakenBack") { $0.member("last", last) }
  }

  /// - Parameter next: The first position after the damaged file; `nil` for the last one.
  static func logDamaged(_ damage: LogDamage, next: Position?) -> VarlinkError {
    VarlinkError("org.scrolld.Observer.LogDamaged") {
      $0.member("file", damage.file)
      $0.member("offset", damage.offset)
      $0.member("next", ifPresent: next)
      $0.member("lost", ifPresent: damage.lostInRepair?.lowerBound)
    }
  }

  // org.scrolld.Relay

  /// - Parameter received: When the daemon received the log's own record at the position.
  static func otherHistory(position: Position, received: Int64) -> VarlinkError {
    VarlinkError("org.scrolld.Relay.OtherHistory") {
      $0.member("position", position)
      $0.member("received", received)
    }
  }

  static func tooManyFollowers(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Relay.TooManyFollowers") { $0.member("limit", limit) }
  }

  static func tooManyCandidates(limit: Int) -> VarlinkError {
    VarlinkError("org.scrolld.Relay.TooManySessions") { $0.member("limit", limit) }
  }

  // org.scrolld.Manager

  static let managerNoSpace = VarlinkError("org.scrolld.Manager.NoSpace")

  static func clientOpen(_ session: SessionID) -> VarlinkError {
    VarlinkError("org.scrolld.Manager.ClientOpen") { $0.member("session", session) }
  }

  static let notImported = VarlinkError("org.scrolld.Manager.NotImported")
  static let backupDisturbed = VarlinkError("org.scrolld.Manager.BackupDisturbed")

  static func notRemoved(_ error: FileError) -> VarlinkError {
    VarlinkError("org.scrolld.Manager.NotRemoved") {
      $0.member("file", error.path)
      $0.member("reason", "\(error.code)")
    }
  }

  static func notForgotten(_ error: ReadError) -> VarlinkError {
    VarlinkError("org.scrolld.Manager.NotForgotten") { $0.member("reason", "\(error)") }
  }

  static func unknownKeys(_ keys: [String]) -> VarlinkError {
    VarlinkError("org.scrolld.Manager.UnknownKeys") { $0.member("keys", keys) }
  }

  static func badConfiguration(_ error: ConfigurationError) -> VarlinkError {
    VarlinkError("org.scrolld.Manager.BadConfiguration") {
      $0.member("file", error.file)
      $0.member("line", ifPresent: error.line)
      $0.member("key", ifPresent: error.key)
      $0.member("reason", error.reason)
      if error.others > 0 { $0.member("others", error.others) }
      $0.member("check", ifPresent: error.check)
    }
  }
}
