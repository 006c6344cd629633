import ScrollClient

extension Program {
  /// Prints why a verb failed, or failed for one of its arguments.
  static func report(_ error: any Error) {
    switch error {
    case let failure as Failure: printError(failure.message, failure.hint)
    case let error as ServiceError: printError(error.description, Hints.hint(for: error))
    default: printError("\(error)")
    }
  }
}
