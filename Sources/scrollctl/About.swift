// Calls about one client, whose refusals name it.

import ScrollClient

/// Runs a call about one client, so that a refusal that is about the client names it.
func about<Result>(_ client: String, _ call: () throws -> Result) throws -> Result {
  do {
    return try call()
  } catch let error as ServiceError {
    guard let text = error.refusal?.text(about: client) else { throw error }
    throw Failure(text, hint: Hints.hint(for: error))
  }
}
