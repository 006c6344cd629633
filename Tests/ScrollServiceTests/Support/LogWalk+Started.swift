import ScrollLog

@testable import ScrollService

extension LogWalk {
  /// Reads the checkpoint with which the walk begins.
  func started() throws(ReadError) -> LogWalk {
    while start == nil { try prepareSome() }
    return self
  }
}
