import ScrollTesting
import Testing
import Varlink

/// Random conversations, compared with a simple model of the required replies.
@Suite struct RandomConversationTests {
  /// The replies that the server must send to a call.
  private struct Expected {
    var replies: [String] = []
    var hasEnded = false
  }

  @Test func randomConversationsGetTheRepliesInTheOrderOfTheCalls() throws {
    var generator = SeededRandom(seed: SeededRandom.seedOfRun)
    for _ in 0..<30 { try holdConversation(using: &generator) }
  }

  private func holdConversation(using generator: inout SeededRandom) throws {
    let server = try TestService()
    var expected: [Expected] = []
    /// The calls of `Later`, each with its index in `expected`; nil for oneway calls.
    var later: [(index: Int?, token: CallToken)] = []
    var watch: Int?
    /// The calls that were sent to the server and wait for the end of a stream.
    var queue: [String] = []
    var sent: [String] = []

    /// Updates the model with the calls that the server handles now.
    func take() throws {
      while watch == nil, !queue.isEmpty {
        switch queue.removeFirst() {
        case "ping": expected.append(Expected(replies: [pong("x")], hasEnded: true))
        case "later":
          later.append((expected.count, server.later[later.count]))
          expected.append(Expected())
        case "oneway": later.append((nil, server.later[later.count]))
        default:
          watch = expected.count
          expected.append(Expected())
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
        expected[index].replies.append(
          #"{"parameters":{"event":"\#(step)"}\#(continues ? #","continues":true"# : "")}"#)
        if !continues {
          expected[index].hasEnded = true
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
        if let place = later[index].index {
          expected[place] = Expected(replies: [#"{"parameters":{"answer":"\#(step)"}}"#], hasEnded: true)
        }
      }
      try take()
      sent += server.sent()
      let first = expected.firstIndex { !$0.hasEnded } ?? expected.count
      #expect(sent == expected.prefix(first + 1).flatMap(\.replies))
      #expect(server.connection.hasPendingCalls == (first < expected.count))
      #expect(server.connection.violation == nil)
    }
  }
}
