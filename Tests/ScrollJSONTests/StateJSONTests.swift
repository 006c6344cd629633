import JSON
import ScrollJSON
import ScrollModel
import Testing

@Suite("States and records as JSON")
struct StateJSONTests {
  private func json(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: JSONWriter.encode(body), as: UTF8.self)
  }

  @Test("The state of a new session has only its known members")
  func beginning() throws {
    let session = try #require(SessionID("0123456789ABCDEF0123456789abcdef"))
    let identity = StateIdentity(client: "a\"b", user: 1000, session: session, position: 1, policy: "safari")
    #expect(
      json { FoldState().write(to: &$0, as: identity) }
        == #"{"client":"a\"b","user":1000,"session":"0123456789abcdef0123456789abcdef","position":1,"toolbar":"shown","#
        + #""reachBottom":false,"bottomLatch":false,"topButton":false,"policy":"safari"}"#)
  }

  @Test("A transition is a flat object with line, state, changed fields and reason")
  func transition() {
    var layout = Event(.layout, time: 3)
    layout.contentWidth = 1170
    layout.contentHeight = 3000
    layout.frameWidth = 390
    layout.frameHeight = 800
    var scroll = Event(.scroll, time: 4)
    scroll.x = 0
    scroll.y = 0
    var state = FoldState()
    for event in [layout, scroll] { _ = Policy.safari.step(&state, event) }
    scroll.time = 5
    scroll.y = 12.5
    let step = Policy.safari.step(&state, scroll)
    #expect(
      json { state.writeTransition(to: &$0, as: StateIdentity(client: "c", policy: "p"), step, at: FoldPlace(line: 4)) }
        == #"{"line":4,"client":"c","time":5,"toolbar":"hidden","trigger":"scrollDown","reachBottom":false,"#
        + #""bottomLatch":false,"topButton":false,"x":0,"y":12.5,"pageIndex":0,"pageCount":3,"indicatorOffset":0,"#
        + #""indicatorWidth":130,"policy":"p","changed":["toolbar","trigger"],"#
        + #""reason":"travelDown 12.5 ≥ hideDistance 10"}"#)
  }

  @Test("Records are written as lines of recordings and read back as such")
  func records() throws {
    var event = Event(.dragEnd, time: 3)
    event.x = 0
    event.y = 1
    event.willDecelerate = true
    let policy = Policy(name: "plain", rule: .classic(ClassicRule()))
    let opening = Opening(client: ClientID(user: 0, name: "c"), time: 1, title: "T", policy: policy)
    let records: [(Record, RecordingLine, String)] = [
      (
        .open(opening), .open(time: 1, client: "c", application: nil, title: "T", policy: policy),
        #"{"kind":"open","time":1,"client":"c","title":"T","policy":"plain","rule":"classic","#
          + #""parameters":[{"name":"topButtonDistance","value":"450"}]}"#
      ),
      (
        .event(event, number: 7), .event(event), #"{"kind":"dragEnd","time":3,"x":0,"y":1,"willDecelerate":true}"#
      ),
      (
        .close(Closing(time: 9, reason: .idle)), .close(time: 9, reason: .idle),
        #"{"kind":"close","time":9,"reason":"idle"}"#
      ),
      (
        .request(ScrollRequest(time: 4, target: .page(2))), .request(ScrollRequest(time: 4, target: .page(2))),
        #"{"kind":"request","time":4,"target":"page","page":2}"#
      ),
      (
        .response(ScrollResponse(time: 5, request: 4, done: true)),
        .response(ScrollResponse(time: 5, request: 4, done: true)),
        #"{"kind":"response","time":5,"request":4,"done":true}"#
      ),
    ]
    let parser = JSONParser()
    for (record, line, text) in records {
      #expect(json { record.write(to: &$0) } == text)
      let read = try parser.parse(Array(text.utf8)) { try RecordingLine(json: $0) }
      #expect(read == line)
    }
  }
}
