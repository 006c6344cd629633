import Testing
import Varlink

@Suite struct PipeliningTests {
  @Test func repliesWaitForTheRepliesToEarlierCalls() throws {
    let server = try TestService()
    server.receive(call("Later"), ping("a"), call("Later"), ping("b"))
    #expect(server.sent() == [])
    #expect(server.connection.outputCount == 0)
    #expect(server.connection.bufferedOutputCount == 2 * (pong("a").utf8.count + 1))

    server.connection.reply(server.later[1]) { $0.member("answer", "second") }
    #expect(server.sent() == [])
    server.connection.reply(server.later[0]) { $0.member("answer", "first") }
    #expect(
      server.sent() == [
        #"{"parameters":{"answer":"first"}}"#, pong("a"), #"{"parameters":{"answer":"second"}}"#, pong("b"),
      ])
    #expect(server.connection.bufferedOutputCount == 0)
    #expect(!server.connection.hasPendingCalls)
  }

  @Test func repliesGivenInAnyOrderAreSentInTheOrderOfTheCalls() throws {
    for order in permutations(of: [0, 1, 2, 3]) {
      let server = try TestService()
      server.receive(
        call("Later"), call("Later", "{}", "more"), call("Later"), call("Later", "{}", "oneway"), call("Later"))
      let answered = [0, 1, 2, 4].map { server.later[$0] }
      var sent: [String] = []
      for index in order {
        if index == 1 {
          #expect(server.connection.reply(answered[1], continues: true) { $0.member("answer", "1a") } == .continues)
        }
        #expect(server.connection.reply(answered[index]) { $0.member("answer", "\(index)") } == .ended)
        #expect(server.connection.reply(answered[index]) { $0.member("answer", "again") } == .notAwaited)
        sent += server.sent()
      }
      #expect(
        sent == [
          #"{"parameters":{"answer":"0"}}"#, #"{"parameters":{"answer":"1a"},"continues":true}"#,
          #"{"parameters":{"answer":"1"}}"#, #"{"parameters":{"answer":"2"}}"#, #"{"parameters":{"answer":"3"}}"#,
        ])
    }
  }

  @Test func theRepliesOfAStreamWaitForAnEarlierCall() throws {
    let server = try TestService()
    server.receive(call("Later"), call("Watch", "{}", "more"), ping("behind"))
    let watch = try #require(server.watch)
    server.connection.reply(watch, continues: true) { $0.member("event", "1") }
    #expect(server.sent() == [])
    server.connection.reply(server.later[0], error: .permissionDenied)
    server.connection.reply(watch, continues: true) { $0.member("event", "2") }
    #expect(
      server.sent() == [
        #"{"error":"org.varlink.service.PermissionDenied"}"#, #"{"parameters":{"event":"1"},"continues":true}"#,
        #"{"parameters":{"event":"2"},"continues":true}"#,
      ])
    server.connection.reply(watch)
    server.takeCalls()
    #expect(server.sent() == ["{}", pong("behind")])
  }

  @Test func encodedParametersCanBeSentMoreThanOnce() throws {
    let server = try TestService()
    server.receive(call("Watch", "{}", "more"))
    let watch = try #require(server.watch)
    let transition = Array(#"{"event":"up"}"#.utf8)
    transition.withUnsafeBytes { fragment in
      for _ in 0..<3 { #expect(server.connection.reply(watch, continues: true, encoded: fragment) == .continues) }
      #expect(server.connection.reply(watch, encoded: fragment) == .ended)
    }
    let continued = #"{"parameters":{"event":"up"},"continues":true}"#
    #expect(server.sent() == [continued, continued, continued, #"{"parameters":{"event":"up"}}"#])
  }

  @Test func thousandsOfCallsMayBePending() throws {
    let server = try TestService()
    for round in 0..<3 {
      server.receive((0..<2000).flatMap { _ in Array((call("Later") + "\0").utf8) })
      let calls = server.later[(round * 2000)...]
      for (index, token) in zip(0..., calls).reversed() {
        server.connection.reply(token) { $0.member("answer", "\(index)") }
      }
      #expect(server.sent() == (0..<2000).map { #"{"parameters":{"answer":"\#($0)"}}"# })
      #expect(!server.connection.hasPendingCalls)
    }
  }

  @Test func outputCanBeSentInPieces() throws {
    let server = try TestService()
    server.receive(ping("a"), ping("b"))
    var bytes: [UInt8] = []
    while server.connection.outputCount > 0 {
      bytes += server.connection.withUnsafeOutput { Array($0.prefix(3)) }
      server.connection.consumeOutput(min(3, server.connection.outputCount))
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "\(pong("a"))\0\(pong("b"))\0")
  }

  private func permutations(of elements: [Int]) -> [[Int]] {
    if elements.isEmpty { return [[]] }
    return elements.flatMap { first in
      permutations(of: elements.filter { $0 != first }).map { [first] + $0 }
    }
  }
}
