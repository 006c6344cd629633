import ScrollClient
import ScrollModel

/// Runs a call about one client. A refusal that concerns the client then names it.
///
/// - Parameter session: What the client lacks if the daemon does not find it.
func about<Result>(_ client: String, having session: String = "a session", _ call: () throws -> Result) throws -> Result
{
  do {
    return try call()
  } catch let error as ServiceError {
    guard let text = error.refusal?.text(about: client, having: session) else { throw error }
    throw Failure(text, hint: Hints.hint(for: error, about: client))
  }
}

/// Runs a call about the state of one client at a moment. A refusal that concerns the client or the moment then names it.
func about<Result>(_ client: String, at moment: LogMoment?, _ call: () throws -> Result) throws -> Result {
  if case .position(let position) = moment {
    return try about(client, having: "a session at position \(position)") { try within(position, call) }
  }
  guard case .time = moment else { return try about(client, call) }
  do {
    return try about(client, having: "a session of that time", call)
  } catch var failure as Failure where failure.hint == Hints.hint(for: .refused(.noSuchClient)) {
    failure.hint =
      "The time is by the daemon's clock; with --by event-time, it is by the client's.\n"
      + "“scrollctl sessions” lists the sessions of the log."
    throw failure
  }
}

/// Runs a call about a position of the log. A refusal because the log ends before then names the position.
func within<Result>(_ position: Position?, _ call: () throws -> Result) throws -> Result {
  do {
    return try call()
  } catch let error as ServiceError {
    guard let position, case .noSuchPosition(let last)? = error.refusal else { throw error }
    throw Failure("position \(position) is beyond the end of the log: its last position is \(last)")
  }
}

extension Hints {
  /// Returns the hint about a refusal that concerns a client. A name that was not found may be meant as something else.
  static func hint(for error: ServiceError, about client: String) -> String? {
    guard error.refusal == .noSuchClient else { return hint(for: error) }
    if client.isClientPattern { return wholeName }
    return beginningOfID(client) ?? hint(for: error)
  }

  /// Returns the hint about a name that was not found and may be the beginning of a session's id; `nil` if it can't be.
  static func beginningOfID(_ name: String) -> String? {
    guard name.utf8.count == 8, name.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return
      "If this is the beginning of a session's id, put its client before it, as in reader/main@\(name), or give the "
      + "whole id.\n“scrollctl sessions” lists the ids."
  }

  /// The hint about sessions of which nothing was received in the given time.
  static let receivedTime =
    "--since and --until go by when the daemon received a session, which may be when it was imported.\n"
    + "“scrollctl sessions --by event-time” finds sessions by when they were recorded."

  /// The hint about a pattern in place of a name.
  static let wholeName = "Give the whole name: * ? and [ are not patterns here."
}
