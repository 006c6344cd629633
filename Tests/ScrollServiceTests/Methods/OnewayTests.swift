import JSON
import Testing

@testable import ScrollService

@Suite struct OnewayTests {
  /// Parameters of every method with which it does its work, or finds that it can't.
  private static func parameters(_ session: JSONTree) -> [String: JSONTree] {
    [
      "Append": ["session": session, "events": [Gestures.layout]], "Open": ["client": "other"],
      "Close": ["session": session], "Requests": ["session": session],
      "Respond": ["session": session, "request": 1, "done": true],
      "List": [:], "Sessions": [:], "Get": ["client": "gone"], "Explain": ["client": "gone"], "Subscribe": ["after": 0],
      "Read": [:],
      "Scroll": ["client": "reader", "target": "top"],
      "Statistics": [:], "Sync": [:], "Rotate": [:], "Vacuum": ["maxUse": 0], "Forget": ["client": "reader"],
      "ForgetListed": ["sessions": [], "clients": []], "Backup": [:], "Reload": [:],
      "Import": ["client": "other", "time": 1], "EndImport": ["session": session, "time": 1],
      "Follow": [:], "Forgotten": ["sessions": []],
      "org.varlink.service.GetInfo": [:],
      "org.varlink.service.GetInterfaceDescription": ["interface": "org.scrolld.Observer"],
    ]
  }

  private static let methods = parameters(.null).keys.sorted()

  /// A oneway call that has to wait for the caller's own events, for the disk or for the log is answered to nobody, and the
  /// next call on the connection is.
  @Test(arguments: methods, [false, true])
  func theCallAfterAOnewayCallOfAnyMethodIsAnswered(method: String, isDiskSlow: Bool) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect(user: 0)
    let session = try client.call("Open", ["client": "reader"])["session"]
    daemon.isHolding = isDiskSlow
    daemon.isHoldingUpkeep = isDiskSlow
    client.send("Append", ["session": session, "events": [Gestures.layout]], .oneway)
    client.send(method, try #require(Self.parameters(session)[method]), .oneway)
    client.send(method, ["unheardOf": 1], .oneway)
    let info = client.send("org.varlink.service.GetInfo")
    let statistics = client.send("Statistics")
    daemon.settle()
    daemon.release()
    #expect(try info.answer()["vendor"] != .null)
    #expect(try statistics.answer()["lastPosition"] != .null)
    #expect(!client.isClosed)
    #expect(daemon.service.connections[client.id]?.stream == nil)
  }

  @Test func theTableAboveHasEveryMethod() throws {
    let names = try MethodsFixture().names.compactMap { $0.split(separator: ".").last.map(String.init) }
    #expect(Set(names).subtracting(Self.methods).isEmpty)
  }
}
