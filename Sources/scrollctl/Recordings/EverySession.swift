import ScrollClient
import ScrollModel

extension ServiceConnection {
  /// Lists the sessions of the log, and passes over parts of it that are damaged.
  ///
  /// - Parameter damaged: Called with a message for each damaged part.
  func everySession(
    clients: [String] = [], user: UInt32? = nil, _ body: (SessionSummary) throws -> Void,
    damaged: (String) throws -> Void
  ) throws {
    var after: Position?
    while true {
      do {
        return try eachSession(clients: clients, user: user, after: after, body)
      } catch let error as ServiceError {
        guard case .refused(.logDamaged(let file, let offset, let next)) = error else { throw error }
        try damaged(
          "the log is damaged: \(file), byte \(offset): sessions that were closed there are missing; if “scrollctl "
            + "verify” finds the damage, “scrollctl repair” makes the rest of the file readable")
        // Without this check, a part that leads nowhere would be read forever.
        guard let next, next - 1 > after ?? -1 else { return }
        after = next - 1
      }
    }
  }
}
