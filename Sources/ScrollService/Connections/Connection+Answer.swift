import JSON

extension Connection {
  /// Sends an answer.
  func send(_ answer: Answer, _ terms: AnswerTerms) {
    let token = answer.caller.token
    switch answer.content {
    case .appended(let position, let nextNumber):
      reply(token) {
        $0.member("position", position)
        $0.member("nextNumber", nextNumber)
        $0.member("durable", terms.isDurable)
        $0.member("generation", terms.generation)
      }
    case .opened(let session, let nextNumber):
      reply(token) {
        $0.member("session", session)
        $0.member("nextNumber", nextNumber)
        $0.member("generation", terms.generation)
      }
    case .done:
      reply(token)
    case .requested(let position), .synced(let position):
      reply(token) { $0.member("position", position) }
    case .forgotten(let records):
      reply(token) { $0.member("records", records) }
    case .vacuumed(let firstPosition, let freed):
      reply(token) {
        $0.member("firstPosition", firstPosition)
        $0.member("freed", freed)
      }
    }
  }
}
