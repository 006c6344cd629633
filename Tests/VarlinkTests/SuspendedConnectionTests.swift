// Connections that go on elsewhere, as in a new process.

import Testing
import Varlink

@Suite struct SuspendedConnectionTests {
  private func bytes(_ messages: String...) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }

  @Test func aConnectionGoesOnElsewhereWhateverWasReceivedAndSentOfIt() throws {
    let all = bytes(ping("a"), ping("b"), ping("c"))
    let expected = bytes(pong("a"), pong("b"), pong("c"))
    for received in 0...all.count {
      for sent in [0, 1, expected.count / 2] {
        let first = try TestService()
        first.receive(all[..<received])
        let gone = min(sent, first.connection.outputCount)
        var output = first.connection.withUnsafeOutput { Array($0.prefix(gone)) }
        first.connection.consumeOutput(gone)
        let suspended = try #require(first.connection.suspended())
        #expect(first.connection.isAtRest == (suspended == SuspendedConnection()))

        let (connection, stream) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
        #expect(stream == nil)
        let second = try TestService(connection)
        second.receive(all[received...])
        output += second.connection.withUnsafeOutput { Array($0) }
        #expect(output == expected, "received \(received), sent \(gone)")
      }
    }
  }

  @Test func aStreamGoesOnElsewhereAndHoldsBackTheCallsBehindIt() throws {
    let first = try TestService()
    first.receive(call("Watch", "{}", "more"), ping("behind"))
    first.connection.reply(try #require(first.watch), continues: true) { $0.member("event", "1") }
    let suspended = try #require(first.connection.suspended())
    #expect(suspended.isStreaming && suspended.input == bytes(ping("behind")))

    let (connection, stream) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
    let second = try TestService(connection)
    second.takeCalls()
    #expect(second.taken.isEmpty)
    second.connection.reply(try #require(stream)) { $0.member("event", "2") }
    second.takeCalls()
    #expect(
      second.sent() == [
        #"{"parameters":{"event":"1"},"continues":true}"#, #"{"parameters":{"event":"2"}}"#, pong("behind"),
      ])
  }

  @Test func aStreamAtRestIsAtRest() throws {
    let server = try TestService()
    #expect(server.connection.isAtRest)
    server.receive(call("Watch", "{}", "more"))
    #expect(server.connection.isAtRest)
    server.connection.reply(try #require(server.watch), continues: true) { $0.member("event", "1") }
    #expect(!server.connection.isAtRest)
    _ = server.sent()
    #expect(server.connection.isAtRest)
    server.receive([123])
    #expect(!server.connection.isAtRest)
  }

  @Test func aCallThatKeepsOthersWaitingCanBeTakenAnew() throws {
    let first = try TestService()
    first.receive(call("Watch", "{}", "more"), ping("behind"))
    let suspended = try #require(first.connection.suspended(restartsCall: true))
    let (connection, stream) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
    #expect(stream == nil)
    let second = try TestService(connection)
    second.takeCalls()
    second.connection.reply(try #require(second.watch)) { $0.member("event", "only") }
    second.takeCalls()
    #expect(second.sent() == [#"{"parameters":{"event":"only"}}"#, pong("behind")])
  }

  @Test func aConnectionThatOwesAnswersOrIsAtItsEndDoesNotGoOn() throws {
    let waiting = try TestService()
    waiting.receive(call("Later"))
    #expect(waiting.connection.suspended() == nil && !waiting.connection.isAtRest)
    waiting.receive(ping("held back"))
    #expect(waiting.connection.suspended() == nil)
    waiting.connection.reply(waiting.later[0]) { $0.member("answer", "now") }
    #expect(waiting.connection.suspended() != nil)

    let broken = try TestService()
    broken.receive("nonsense")
    #expect(broken.connection.suspended() == nil && !broken.connection.isAtRest)
  }

  @Test func thePeersEndIsRemembered() throws {
    let first = try TestService()
    first.receive(ping("a"))
    first.connection.receiveEnd()
    let suspended = try #require(first.connection.suspended())
    let (connection, _) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
    #expect(connection.hasReceivedEnd && !connection.isFinished)
    connection.consumeOutput(connection.outputCount)
    #expect(connection.isFinished)
  }
}
