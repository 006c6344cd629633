// Random conversations, held against a plain account of what must be answered.

import ScrollTesting
import Testing
import Varlink

@Suite struct RandomConversationTests {
  /// What a call is owed, in the order of the calls.
  private struct Owed {
    var replies: [String] = []
    var hasEnded = false
  }

  @Test func whateverTheOrderAnswersGoOutAsTheCallsCameIn() throws {
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    for _ in 0..<30 { try holdConversation(using: &generator) }
  }

  private func holdConversation(using generator: inout SeededRandom) throws {
    let server = try TestService()
    var owed: [Owed] = []
    /// Unanswered calls of `Later`: their place among those that are owed answers, none for oneway ones.
    var later: [(owed: Int?, token: CallToken)] = []
    var watch: Int?
    /// What was sent to the server and has to wait for the end of a stream.
    var queue: [String] = []
    var sent: [String] = []

    /// Accounts for what the server takes of the queue now.
    func take() throws {
      while watch == nil, !queue.isEmpty {
        switch queue.removeFirst() {
        case "ping": owed.append(Owed(replies: [pong("x")], hasEnded: true))
        case "later":
          later.append((owed.count, server.later[later.count]))
          owed.append(Owed())
        case "oneway": later.append((nil, server.later[later.count]))
        default:
          watch = owed.count
          owed.append(Owed())
        }
      }
    }
    let messages = [
      "ping": ping("x"), "later": call("Later"), "oneway": call("Later", "{}", "oneway"),
      "watch": call("Watch", "{}", "more"),
    ]
    let kinds = messages.keys.sorted()
    var answered: Set<Int> = []

    for step in 0..<Int.random(in: 1...300, using: &generator) {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let kind = kinds[Int.random(in: kinds.indices, using: &generator)]
        let bytes = Array((try #require(messages[kind]) + "\0").utf8)
        let split = Int.random(in: 0...bytes.count, using: &generator)
        server.receive(bytes[..<split])
        server.receive(bytes[split...])
        queue.append(kind)
      case 2:
        guard let index = watch, let token = server.watch else { continue }
        let continues = Bool.random(using: &generator)
        server.connection.reply(token, continues: continues) { $0.member("event", "\(step)") }
        owed[index].replies.append(
          #"{"parameters":{"event":"\#(step)"}\#(continues ? #","continues":true"# : "")}"#)
        if !continues {
          owed[index].hasEnded = true
          watch = nil
          server.takeCalls()
        }
      default:
        guard let index = later.indices.filter({ !answered.contains($0) }).randomElement(using: &generator) else {
          continue
        }
        answered.insert(index)
        let outcome = server.connection.reply(later[index].token) { $0.member("answer", "\(step)") }
        #expect(outcome == .ended)
        if let place = later[index].owed {
          owed[place] = Owed(replies: [#"{"parameters":{"answer":"\#(step)"}}"#], hasEnded: true)
        }
      }
      try take()
      sent += server.sent()
      let first = owed.firstIndex { !$0.hasEnded } ?? owed.count
      #expect(sent == owed.prefix(first + 1).flatMap(\.replies))
      #expect(server.connection.hasPendingCalls == (first < owed.count))
      #expect(server.connection.violation == nil)
    }
  }
}
