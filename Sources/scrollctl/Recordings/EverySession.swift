import ScrollClient
import ScrollModel

extension ServiceConnection {
  /// Lists the sessions of the log, and passes over parts of it that are damaged.
  ///
  /// - Parameter damaged: Called with a message for each damaged part, and whether it is one that a repair has given up.
  func everySession(
    clients: [String] = [], user: UInt32? = nil, _ body: (SessionSummary) throws -> Void,
    damaged: (_ message: String, _ isRepaired: Bool) throws -> Void
  ) throws {
    var after: Position?
    while true {
      do {
        return try eachSession(clients: clients, user: user, after: after, body)
      } catch let error as ServiceError {
        guard case .refused(.logDamaged(let file, let offset, let next, let lost)) = error else { throw error }
        if let lost, let next {
          try damaged(
            "records were lost in a repair: the positions \(lost) to \(next - 1); sessions that were closed there are missing",
            true)
        } else {
          try damaged(
            "the log is damaged: \(file), byte \(offset): sessions that were closed there are missing; if “scrollctl "
              + "verify” finds the damage, “scrollctl repair” makes the rest of the file readable", false)
        }
        // Without this check, a part that leads nowhere would be read forever.
        guard let next, next - 1 > after ?? -1 else { return }
        after = next - 1
      }
    }
  }
}
