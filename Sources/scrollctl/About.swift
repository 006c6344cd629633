import ScrollClient

/// Runs a call about one client. A refusal that concerns the client then names it.
///
/// - Parameter session: What the client lacks: `a session`, `an open session`.
func about<Result>(_ client: String, having session: String = "a session", _ call: () throws -> Result) throws -> Result
{
  do {
    return try call()
  } catch let error as ServiceError {
    guard let text = error.refusal?.text(about: client, having: session) else { throw error }
    throw Failure(text, hint: Hints.hint(for: error))
  }
}

/// Runs a call about the state of one client at a moment. A refusal that concerns the client then names it.
func about<Result>(_ client: String, at moment: LogMoment?, _ call: () throws -> Result) throws -> Result {
  guard case .time = moment else {
    return try about(client, having: moment == nil ? "a session" : "a session of that time", call)
  }
  do {
    return try about(client, having: "a session of that time", call)
  } catch var failure as Failure where failure.hint == Hints.hint(for: .refused(.noSuchClient)) {
    failure.hint =
      "The time is by the daemon's clock; with --by event-time, it is by the client's.\n"
      + "“scrollctl sessions” lists the sessions of the log."
    throw failure
  }
}
