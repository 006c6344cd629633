import Testing
import Varlink

@Suite struct SuspendedConnectionTests {
  private func bytes(_ messages: String...) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }

  @Test func aConnectionResumesAfterAnyNumberOfBytesReceivedAndSent() throws {
    let all = bytes(ping("a"), ping("b"), ping("c"))
    let expected = bytes(pong("a"), pong("b"), pong("c"))
    for received in 0...all.count {
      for sent in [0, 1, expected.count / 2] {
        let first = try TestService()
        first.receive(all[..<received])
        let sentCount = min(sent, first.connection.outputCount)
        var output = first.connection.withUnsafeOutput { Array($0.prefix(sentCount)) }
        first.connection.consumeOutput(sentCount)
        let suspended = try #require(first.connection.suspended())
        #expect(first.connection.isIdle == (suspended == SuspendedConnection()))

        let (connection, stream) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
        #expect(stream == nil)
        let second = try TestService(connection)
        second.receive(all[received...])
        output += second.connection.withUnsafeOutput { Array($0) }
        #expect(output == expected, "received \(received), sent \(sentCount)")
      }
    }
  }

  @Test func aStreamResumesAndStillBlocksTheCallsAfterIt() throws {
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

  @Test func aStreamWithoutBufferedBytesIsIdle() throws {
    let server = try TestService()
    #expect(server.connection.isIdle)
    server.receive(call("Watch", "{}", "more"))
    #expect(server.connection.isIdle)
    server.connection.reply(try #require(server.watch), continues: true) { $0.member("event", "1") }
    #expect(!server.connection.isIdle)
    _ = server.sent()
    #expect(server.connection.isIdle)
    server.receive([123])
    #expect(!server.connection.isIdle)
  }

  @Test func aBlockingCallCanRestartAfterTheConnectionResumes() throws {
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

  @Test func aConnectionWithUnansweredCallsOrAViolationCannotBeSuspended() throws {
    let waiting = try TestService()
    waiting.receive(call("Later"))
    #expect(waiting.connection.suspended() == nil && !waiting.connection.isIdle)
    waiting.receive(ping("delayed"))
    #expect(waiting.connection.suspended() == nil)
    waiting.connection.reply(waiting.later[0]) { $0.member("answer", "now") }
    #expect(waiting.connection.suspended() != nil)

    let broken = try TestService()
    broken.receive("nonsense")
    #expect(broken.connection.suspended() == nil && !broken.connection.isIdle)
  }

  @Test func aResumedConnectionRemembersThatThePeerClosedItsSide() throws {
    let first = try TestService()
    first.receive(ping("a"))
    first.connection.receiveEnd()
    let suspended = try #require(first.connection.suspended())
    let (connection, _) = ServerConnection.resume(suspended, maximumMessageSize: 1 << 20)
    #expect(connection.hasReceivedEnd && !connection.isFinished)
    connection.consumeOutput(connection.outputCount)
    #expect(connection.isFinished)
  }

  /// Otherwise a daemon that is killed leaves a connection whose end the next daemon does not know.
  @Test func aConnectionWhosePeerClosedItsSideIsNotIdle() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    #expect(server.connection.isIdle)
    server.connection.receiveEnd()
    #expect(!server.connection.isIdle)
  }

  @Test func theSpacesOfAStreamsCallWereKeptForAsLongAsTheStream() throws {
    let server = try TestService()
    let spaces = String(repeating: " \t\n", count: 1000)
    let message = #"{"method":"org.example.test.Watch","x.y":"a \" b\\ ","more":true}"#
    let padded = message.replacing(",", with: spaces + "," + spaces)
    server.receive(padded)
    #expect(server.watch != nil)
    #expect(server.connection.blockingMessageCount == message.utf8.count)
    #expect(server.connection.suspended(restartsCall: true)?.input == bytes(message))
    server.connection.releaseBlockingMessage()
    #expect(server.connection.blockingMessageCount == 0)
    #expect(server.connection.suspended(restartsCall: true) == nil)
    #expect(server.connection.suspended()?.isStreaming == true)
  }

  @Test func theTextOfACallIsReleasedWithItsLastReply() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    #expect(server.connection.blockingMessageCount > 0)
    server.connection.reply(try #require(server.watch))
    #expect(server.connection.blockingMessageCount == 0)
  }
}
