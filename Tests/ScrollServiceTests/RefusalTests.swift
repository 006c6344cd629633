import Testing

@testable import ScrollService

@Suite struct RefusalTests {
  @Test func aUsersFirstRefusalIsLoggedAtOnceAndTheOthersAreCountedOnceAMinute() throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: 1000)
    for _ in 0..<1000 { client.send("Open", ["client": ""], .oneway) }
    daemon.settle()
    #expect(daemon.journal.messages.count == 1)
    #expect(daemon.journal.messages.last?.hasPrefix("user 1000: oneway org.scrolld.Recorder.Open refused") == true)
    // Another user's first refusal is logged separately.
    #expect(throws: CallError("PermissionDenied")) { try daemon.connect(user: 1001).call("Statistics") }
    #expect(daemon.journal.messages.count == 2)
    #expect(
      daemon.journal.messages.last == "user 1001: org.scrolld.Manager.Statistics refused: permission denied")
    for _ in 0..<2 { #expect(throws: CallError("PermissionDenied")) { try client.call("Sync") } }
    daemon.wait(seconds: 55)
    #expect(daemon.journal.messages.count == 2)
    daemon.wait(seconds: 5)
    #expect(
      daemon.journal.messages.dropFirst(2)
        == ["user 1000, since the last message: 999 oneway calls refused, permission denied 2 times"])
    #expect(daemon.service.connections.counters.onewayCallsRefused == 1000)
    #expect(daemon.service.connections.counters.permissionsDenied == 3)
    // That was the message of this minute.
    #expect(throws: CallError("PermissionDenied")) { try client.call("Sync") }
    #expect(daemon.journal.messages.count == 3)
    daemon.wait(seconds: 60)
    #expect(daemon.journal.messages.dropFirst(3) == ["user 1000, since the last message: permission denied once"])
    daemon.wait(seconds: 60)
    #expect(throws: CallError("PermissionDenied")) { try client.call("Sync") }
    #expect(daemon.journal.messages.count == 5)
  }

  @Test func usersWithoutConnectionsAreForgotten() throws {
    let daemon = try TestDaemon { $0.maximumConnectionsPerUser = 1 }
    for user in 1000..<1100 as Range<UInt32> {
      let client = try daemon.connect(user: user)
      #expect(daemon.tryConnect(user: user) == nil)
      client.hangUp()
    }
    #expect(daemon.service.connections.users.users.count == 100)
    daemon.wait(seconds: 65)
    #expect(daemon.service.connections.users.users.isEmpty)
    #expect(daemon.journal.messages.count == MessageLimit.burst + 1)
    #expect(daemon.journal.messages.last?.hasPrefix("80 messages were suppressed") == true)
  }
}
