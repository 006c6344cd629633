import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct SessionRequestsTests {
  private func request(_ page: Int64) -> ScrollRequest { ScrollRequest(time: 0, target: .page(page)) }

  @Test func aRequestIsUnansweredFromTheDiskToItsAcceptedResponse() {
    var requests = SessionRequests()
    requests.accept()
    #expect(requests.first(after: 0) == nil)
    var isAccepted = requests.acceptResponse(to: 10)
    #expect(!isAccepted)
    requests.add(request(1), at: 10)
    #expect(requests.first(after: 0)?.position == 10)
    #expect(requests.first(after: 10) == nil)
    isAccepted = requests.acceptResponse(to: 10)
    #expect(isAccepted)
    isAccepted = requests.acceptResponse(to: 10)
    #expect(!isAccepted, "a request has one response")
    #expect(requests.first(after: 0) == nil)
    requests.remove(at: 10)
    isAccepted = requests.acceptResponse(to: 10)
    #expect(!isAccepted)
  }

  @Test func aClientThatLeaves1024RequestsUnansweredGetsNoMore() {
    var requests = SessionRequests()
    requests.reader = 1
    for position in 1...Int64(SessionRequests.limit) {
      #expect(requests.isAccepting)
      requests.accept()
      requests.add(request(position), at: position)
    }
    #expect(!requests.isAccepting)
    _ = requests.acceptResponse(to: 1)
    #expect(!requests.isAccepting, "the response is not on disk")
    requests.remove(at: 1)
    #expect(requests.isAccepting)
  }

  @Test func withoutSpaceOnlyTheRequestsOnDiskAreLeft() {
    var requests = SessionRequests()
    requests.reader = 1
    requests.accept()
    requests.add(request(1), at: 10)
    _ = requests.acceptResponse(to: 10)
    for _ in 1..<SessionRequests.limit { requests.accept() }
    #expect(!requests.isAccepting)
    requests.revert()
    #expect(requests.isAccepting)
    #expect(requests.unanswered.map(\.position) == [10], "its response was refused")
  }

  @Test func theNextDaemonKnowsEachUnansweredRequestOnce() {
    var requests = SessionRequests()
    requests.accept()
    requests.add(request(1), at: 10)
    let unanswered = requests.unanswered
    var next = SessionRequests()
    next.restore(unanswered)
    next.restore(unanswered)
    #expect(next.unanswered == unanswered)
  }
}

@Suite struct RequestStreamTests {
  /// A session, and the stream of its requests on a connection.
  private final class Scene {
    let fixture = ConnectionsFixture { $0.maximumOutput = 4096 }
    let session = OpenSession(id: OpenTestSession.id(1), OpenTestSession.opening("reader"), heard: 0)
    let connection: Connection
    private(set) var stream: RequestStream?

    init(resuming state: RequestsState? = nil) throws {
      connection = try #require(fixture.connect())
      fixture.handler.onCall = { [unowned self] call, connection in
        let channel = ReplyChannel(connection, call.token)
        let next = state.map { RequestStream(session, channel, resuming: $0) } ?? RequestStream(session, channel)
        session.requests.reader = connection.id
        stream = next
        fixture.connections.begin(next, on: connection, isCommitted: true)
        return .waits
      }
      fixture.call(mode: .more, on: connection)
      fixture.settle()
    }

    func request(at position: Position) {
      session.requests.accept()
      session.requests.add(ScrollRequest(time: 0, target: .top), at: position)
      fixture.connections.wake(connection.id)
      fixture.settle()
    }
  }

  @Test func theClientLearnsThatTheStreamIsUpBeforeAnyRequest() throws {
    let scene = try Scene()
    #expect(scene.fixture.read(scene.connection) == ["{}"])
    scene.request(at: 10)
    #expect(scene.fixture.read(scene.connection) == [#"{"request":{"request":10,"target":"top"}}"#])
    #expect(scene.connection.wait == .news)
  }

  @Test func aSlowReaderGetsEachRequestOnceThereIsRoom() throws {
    let scene = try Scene()
    for position in 1...200 { scene.request(at: Int64(position)) }
    #expect(scene.connection.outputCount < 4096)
    #expect(scene.stream?.wantsRoom == true)
    var count = 0
    while scene.connection.outputCount > 0 {
      count += scene.fixture.read(scene.connection).count
      scene.fixture.settle()
    }
    #expect(count == 201)
    #expect(scene.stream?.wantsRoom == false)
  }

  @Test func theStateForTheNextDaemonNamesWhatWasSent() throws {
    let scene = try Scene()
    scene.request(at: 10)
    let state = RequestsState(
      session: scene.session.id, hasBegun: true, sent: 10, unanswered: scene.session.requests.unanswered)
    #expect(scene.stream?.idleState == .requests(state))
    #expect(scene.stream?.handOver() == .resumes(.requests(state)))

    let next = try Scene(resuming: state)
    #expect(next.fixture.read(next.connection) == [])
    next.request(at: 10)
    #expect(next.fixture.read(next.connection) == [])
    next.request(at: 11)
    #expect(next.fixture.read(next.connection).count == 1)
  }

  @Test func aStreamThatWasTakenOverLeavesItsSuccessorAlone() throws {
    let scene = try Scene()
    scene.session.requests.reader = 99
    scene.fixture.connections.endStream(of: scene.connection.id, with: ServiceError.requestsTakenOver)
    #expect(scene.session.requests.reader == 99)
    let other = try Scene()
    _ = other.fixture.connections.disconnect(other.connection.id)
    #expect(other.session.requests.reader == nil)
  }
}
