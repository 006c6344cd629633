import ScrollModel
import Testing

@testable import NativeHost

@Suite("The bridge between a browser and the daemon")
struct BridgeTests {
  private let a = SessionID(high: 0xAAAA_AAAA_AAAA_AAAA, low: 0xAAAA_AAAA_AAAA_AAAA)
  private let opened = #"{"parameters":{"session":"x","nextNumber":1,"generation":1}}"#

  @Test("A session is opened, fed and closed, and the browser hears of each confirmation")
  func feeding() {
    let world = BridgedWorld()
    #expect(world.connect() == [.feed])
    #expect(
      world.messages() == [#"{"type":"daemon","connected":true,"address":"/run/scrolld/socket","dropped":0}"#])
    world.browser(open("a"), append("a", 1, count: 2), close("a"))
    #expect(
      world.calls(.feed) == [
        #"{"method":"org.scrolld.Recorder.Open","parameters":{"client":"web/1/0/0","session":"\#(digits("a"))"}}"#,
        #"{"method":"org.scrolld.Recorder.Append","parameters":{"session":"\#(digits("a"))","number":1,"events":"#
          + #"[{"kind":"scroll","time":7,"x":0,"y":3},{"kind":"scroll","time":7,"x":0,"y":3}]}}"#,
        #"{"method":"org.scrolld.Recorder.Close","parameters":{"session":"\#(digits("a"))"}}"#,
      ])
    world.daemon(.feed, opened)
    world.confirm(3)
    world.daemon(.feed, "{}")
    #expect(
      world.messages() == [
        #"{"type":"opened","session":"\#(digits("a"))","nextNumber":1}"#,
        #"{"type":"stored","session":"\#(digits("a"))","nextNumber":3}"#,
        #"{"type":"ended","session":"\#(digits("a"))","reason":"asked","dropped":0}"#,
      ])
  }

  @Test("What was not confirmed is sent again over the next connection, closings of pages that are gone included")
  func reconnecting() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1))
    world.daemon(.feed, opened)
    world.confirm(2)
    world.browser(append("a", 2), close("a"), open("b"), append("b", 1))
    _ = world.messages()
    world.bridge.lose(.feed, "gone", at: world.now)
    #expect(world.messages().last?.contains(#""connected":false"#) == true)
    world.bridge.lose(.feed, "gone", at: world.now)
    #expect(world.messages() == [], "the same reason is reported once")
    #expect(world.connect() == [], "it waits")
    world.browser(append("b", 2))
    world.now += .seconds(10)
    #expect(world.connect() == [.feed])
    #expect(world.connect() == [.pushes])
    #expect(
      world.calls(.feed).map { String($0.dropFirst(32).prefix(6)) } == [
        "Open\",", "Append", "Close\"", "Open\",", "Append", "Append",
      ])
  }

  @Test("A batch that the browser sends again is stored once")
  func resending() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1), open("a"), append("a", 1), append("a", 2))
    #expect(world.calls(.feed).count == 3)
    world.daemon(.feed, opened)
    world.confirm(2)
    world.confirm(3)
    _ = world.messages()
    world.browser(open("a"), append("a", 2))
    #expect(
      world.messages() == [
        #"{"type":"opened","session":"\#(digits("a"))","nextNumber":3}"#,
        #"{"type":"stored","session":"\#(digits("a"))","nextNumber":3}"#,
      ])
    #expect(world.calls(.feed) == [])
  }

  @Test("A restarted host continues a session in the middle")
  func takingUp() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 41))
    world.daemon(.feed, #"{"parameters":{"session":"x","nextNumber":41,"generation":1}}"#)
    world.confirm(42)
    #expect(world.messages().last == #"{"type":"stored","session":"\#(digits("a"))","nextNumber":42}"#)
  }

  @Test("A gap ends the session, so that the page begins another one")
  func gaps() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1), append("a", 3))
    #expect(world.messages().last == #"{"type":"ended","session":"\#(digits("a"))","reason":"gap","dropped":0}"#)
    world.browser(append("a", 4))
    #expect(world.messages() == [#"{"type":"ended","session":"\#(digits("a"))","reason":"unknown","dropped":0}"#])
  }

  @Test("A session that somebody closed ends with its reason, and later replies to its calls mean nothing")
  func closedByOthers() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1), append("a", 2))
    let closed = #"{"error":"org.scrolld.Recorder.SessionClosed"}"#
    world.daemon(.feed, opened, closed, closed)
    #expect(
      world.messages().filter { $0.contains("ended") } == [
        #"{"type":"ended","session":"\#(digits("a"))","reason":"closed","dropped":0}"#
      ])
  }

  @Test("What a closed page could not deliver is counted")
  func droppedEvents() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1, count: 5), close("a"))
    world.daemon(.feed, opened, #"{"error":"org.scrolld.Recorder.SessionClosed"}"#)
    #expect(world.messages().last == #"{"type":"ended","session":"\#(digits("a"))","reason":"closed","dropped":5}"#)
    world.bridge.lose(.feed, "gone", at: world.now)
    #expect(world.messages().last?.contains(#""dropped":5"#) == true)
  }

  @Test("A refused session is tried again later, with everything that waits")
  func refusals() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1))
    world.daemon(
      .feed, #"{"error":"org.varlink.service.PermissionDenied"}"#, #"{"error":"org.scrolld.Recorder.NoSuchSession"}"#)
    #expect(
      world.messages().last == #"{"type":"refused","session":"\#(digits("a"))","error":"PermissionDenied"}"#)
    _ = world.calls(.feed)
    world.browser(append("a", 2))
    world.connect()
    #expect(world.calls(.feed) == [])
    #expect(world.bridge.deadline.map { $0 <= world.now + .seconds(5) } == true)
    world.now += .seconds(6)
    world.connect()
    #expect(world.calls(.feed).count == 3)
  }

  @Test("No more than the limit waits for the daemon, and what is not accepted stays with the browser")
  func bounds() {
    // A scroll has 38 bytes, and its batch two more.
    let world = BridgedWorld(maximumQueuedBytes: 100)
    world.browser(open("a"), append("a", 1), append("a", 2, count: 2))
    #expect(world.messages() == [#"{"type":"full","session":"\#(digits("a"))","number":2}"#])
    world.browser(append("a", 2))
    #expect(world.messages() == [], "a smaller one fits")
    world.browser(append("a", 3, count: 1))
    world.bridge.receiveEnd(at: world.now)
    #expect(world.bridge.undeliveredCount == 3, "what was refused counts")
  }

  @Test("After a refused batch, smaller ones and the closing are refused, too, until it was sent again")
  func orderOfRefusedBatches() {
    let world = BridgedWorld(maximumQueuedBytes: 100)
    world.browser(open("b"), append("b", 1), open("a"), append("a", 1, count: 2), append("a", 3), close("a"))
    let full = { (number: Int) in #"{"type":"full","session":"\#(digits("a"))","number":\#(number)}"# }
    #expect(world.messages() == [full(1), full(3), full(1)])
    #expect(world.bridge.undeliveredCount == 4)
    world.connect()
    world.daemon(.feed, opened)
    world.confirm(2)
    _ = (world.messages(), world.calls(.feed))
    world.browser(append("a", 1, count: 2))
    world.browser(close("a"))
    #expect(world.messages() == [full(3)], "the last batch is missing")
    world.browser(append("a", 3), close("a"))
    #expect(world.messages() == [full(3), full(3)], "there is no room yet")
    world.daemon(.feed, opened)
    world.confirm(3)
    _ = world.messages()
    world.browser(append("a", 3), close("a"))
    #expect(world.messages() == [])
    world.confirm(4)
    world.daemon(.feed, "{}")
    #expect(world.messages().last == #"{"type":"ended","session":"\#(digits("a"))","reason":"asked","dropped":0}"#)
    #expect(world.bridge.undeliveredCount == 0)
  }

  @Test("A batch that is larger than the limit is accepted when nothing else waits")
  func largeBatches() {
    let world = BridgedWorld(maximumQueuedBytes: 100)
    world.browser(open("a"), append("a", 1, count: 7))
    #expect(world.messages() == [])
    #expect(world.bridge.undeliveredCount == 7)
  }

  @Test("Half a character in a text, or bytes that are not UTF-8, are reported, and the next message counts")
  func textsThatAreNone() {
    let world = BridgedWorld()
    world.connect()
    _ = world.messages()
    world.browser(#"{"op":"open","session":"\#(digits("a"))","client":"web/1/0/0","title":"\ud800"}"#)
    var bytes = BridgedWorld.frame(#"{"operations":"?"}"#)
    bytes[bytes.count - 3] = 0xFF
    world.receive(bytes)
    let messages = world.messages()
    #expect(messages.count == 2)
    let beginning = #"{"type":"invalid","error":"a message from the browser is not JSON: "#
    #expect(messages.allSatisfy { $0.hasPrefix(beginning) })
    world.browser(open("b"))
    #expect(world.bridge.phase == .running)
    #expect(world.calls(.feed).count == 1)
  }

  @Test("Pushes about the browser's own sessions reach it, and no others")
  func pushes() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a", client: "we*b/1/0/0"))
    #expect(world.connect() == [.pushes])
    #expect(
      world.calls(.pushes) == [
        #"{"method":"org.scrolld.Observer.Subscribe","more":true,"parameters":{"clients":["we\\*b/*"]}}"#
      ])
    _ = world.messages()
    world.daemon(
      .pushes,
      #"{"continues":true,"parameters":{"position":4,"transition":{"session":"\#(digits("a"))","toolbar":"hidden"}}}"#,
      #"{"continues":true,"parameters":{"position":4,"state":{"session":"\#(digits("b"))","toolbar":"hidden"}}}"#,
      #"{"continues":true,"parameters":{"position":5}}"#,
      #"{"continues":true,"parameters":{"position":6,"closed":{"session":"\#(digits("a"))","reason":"idle"}}}"#)
    #expect(
      world.messages() == [
        #"{"type":"state","session":"\#(digits("a"))","toolbar":"hidden"}"#,
        #"{"type":"closed","session":"\#(digits("a"))","reason":"idle"}"#,
      ])
  }

  @Test("Scroll requests reach the page, and its responses the daemon")
  func requests() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"))
    world.daemon(.feed, opened)
    #expect(world.connect() == [.pushes, .requests(a)])
    _ = (world.messages(), world.calls(.feed))
    world.daemon(
      .requests(a), #"{"continues":true}"#,
      #"{"continues":true,"parameters":{"request":{"request":9,"target":"offset","x":0,"y":5}}}"#)
    #expect(
      world.messages() == [
        #"{"type":"request","session":"\#(digits("a"))","request":{"request":9,"target":"offset","x":0,"y":5}}"#
      ])
    world.browser(#"{"op":"respond","session":"\#(digits("a"))","request":9,"done":true}"#)
    #expect(
      world.calls(.feed) == [
        #"{"method":"org.scrolld.Recorder.Respond","parameters":{"session":"\#(digits("a"))","request":9,"done":true}}"#
      ])
  }

  @Test("Forgetting ends open sessions first, and reports how many records are gone")
  func forgetting() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1), #"{"op":"forget","sessions":["\#(digits("a"))","\#(digits("b"))"]}"#)
    #expect(world.messages().last == #"{"type":"ended","session":"\#(digits("a"))","reason":"forgotten","dropped":0}"#)
    #expect(world.connect().contains(.management))
    let calls = world.calls(.management)
    #expect(calls.count == 1 && calls[0].contains("ForgetListed") && calls[0].contains(digits("b")))
    world.daemon(.management, #"{"parameters":{"records":12}}"#)
    #expect(world.messages() == [#"{"type":"forgotten","sessions":2,"records":12}"#])
    #expect(!world.uses(.management))
  }

  @Test("A refusal to forget is reported")
  func forgettingRefused() {
    let world = BridgedWorld()
    world.connect()
    world.browser(#"{"op":"forget","sessions":["\#(digits("b"))"]}"#)
    world.connect()
    _ = world.messages()
    world.daemon(.management, #"{"error":"org.varlink.service.PermissionDenied"}"#)
    #expect(world.messages() == [#"{"type":"forgotten","sessions":0,"records":0,"error":"PermissionDenied"}"#])
  }

  // Swift 6.0 crashes on interpolations in the arguments of a macro.
  private static let invalidOperations = [
    (#"5"#, #"{"type":"invalid","error":"an operation must be an object"}"#),
    (
      #"{"op":"steal"}"#,
      #"{"type":"invalid","error":"op is “steal”: it must be open, append, close, respond or forget"}"#
    ),
    (
      #"{"op":"close","session":"../../x"}"#,
      #"{"type":"invalid","error":"session must be 32 hexadecimal digits"}"#
    ),
    (
      #"{"op":"append","session":"\#(digits("a"))","number":0,"events":[]}"#,
      #"{"type":"invalid","session":"\#(digits("a"))","error":"number is 0: events are numbered from 1"}"#
    ),
    (
      #"{"op":"append","session":"\#(digits("a"))","number":1,"events":[{"kind":"scroll","time":1,"x":0}]}"#,
      #"{"type":"invalid","session":"\#(digits("a"))","error":"events[0]: y is missing: a scroll needs it"}"#
    ),
  ]

  @Test(
    "A wrong operation is reported with what is wrong, and the others are carried out", arguments: invalidOperations)
  func invalid(_ operation: String, _ message: String) {
    let world = BridgedWorld()
    world.browser(operation, open("c"))
    #expect(world.messages() == [message])
    world.connect()
    #expect(world.calls(.feed).count == 1)
  }

  @Test("Bytes that are no frame end the host")
  func brokenFrames() {
    let world = BridgedWorld()
    world.receive([0, 0, 0, 0])
    #expect(world.bridge.phase == .failed("a message of 0 bytes from the browser: a message is a JSON object"))
    #expect(world.isFinished())
  }

  @Test("After the browser's end the rest is delivered, but not for ever")
  func draining() {
    let world = BridgedWorld()
    world.connect()
    world.browser(open("a"), append("a", 1), close("a"))
    world.bridge.receiveEnd(at: world.now)
    #expect(!world.isFinished())
    #expect(world.isFinished(after: .seconds(2)))
    #expect(world.bridge.undeliveredCount == 1)
    world.daemon(.feed, opened)
    world.confirm(2)
    world.daemon(.feed, "{}")
    #expect(world.isFinished())
    #expect(world.bridge.undeliveredCount == 0)
  }
}
