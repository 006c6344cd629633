import ScrollModel
import Testing
import Varlink

@testable import ScrollService

@Suite struct ConnectionStateTests {
  /// States in which no value is the default, one of each kind.
  static let states: [ConnectionState] = {
    let session = SessionID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    let other = SessionID(high: 1, low: .max)
    let subscription = SubscriptionState(
      patterns: ["feed/*", "ä\u{1F600}"], wantsFrames: true, seesEveryone: true, position: 1 << 40, generation: 7,
      isCatchingUp: true, owesCaughtUp: true, owedFrames: [other, session])
    let targets: [ScrollRequest.Target] = [.top, .bottom, .page(3), .offset(x: -0.5, y: 1e300)]
    let requests = RequestsState(
      session: session, hasBegun: true, sent: 9,
      unanswered: targets.enumerated().map {
        .init(position: Int64($0.offset) + 5, request: ScrollRequest(time: -1, target: $0.element))
      })
    return [
      ConnectionState(),
      ConnectionState(
        wire: SuspendedConnection(input: [1, 0, 255], output: Array(repeating: 7, count: 5000), hasReceivedEnd: true),
        lastPosition: .max, ownedSessions: [session, other], gappedSessions: [other]),
      ConnectionState(wire: SuspendedConnection(isStreaming: true), stream: .subscription(subscription)),
      ConnectionState(wire: SuspendedConnection(isStreaming: true), stream: .requests(requests)),
    ]
  }()

  private func bytes(of state: ConnectionState) -> [UInt8] {
    var writer = StateWriter()
    state.write(to: &writer)
    return writer.bytes
  }

  private func state(of bytes: [UInt8]) throws -> ConnectionState {
    try bytes.withUnsafeBytes { try ConnectionState($0) }
  }

  @Test(arguments: states)
  func aStateSurvivesItsEncoding(state: ConnectionState) throws {
    #expect(try self.state(of: bytes(of: state)) == state)
  }

  @Test(arguments: states)
  func truncatedAndOverlongStatesAreRefused(state: ConnectionState) {
    let bytes = bytes(of: state)
    for length in 0..<min(bytes.count, 600) {
      #expect(throws: HandOverError.endsEarly) { try self.state(of: Array(bytes[..<length])) }
    }
    #expect(throws: HandOverError.hasTrailingBytes) { try self.state(of: bytes + [0]) }
  }

  @Test(arguments: states)
  func aChangedByteIsReadAsItIsOrRefused(state: ConnectionState) {
    let whole = bytes(of: state)
    for index in whole.indices.prefix(600) {
      for value in [0, 1, 2, 127, 128, 255] as [UInt8] {
        var bytes = whole
        bytes[index] = value
        // A state that can be read encodes to the same bytes.
        if let read = try? self.state(of: bytes) { #expect(self.bytes(of: read) == bytes) }
      }
    }
  }

  @Test func aSubscriptionThatHasNotSentAllPresentStatesIsRead() throws {
    var state = ConnectionState()
    state.wire.isStreaming = true
    for openings in [nil, SubscriptionState.Openings(after: 3, through: 900)] {
      state.stream = .subscription(
        SubscriptionState(
          patterns: ["a*"], wantsFrames: true, seesEveryone: false, position: 1000, generation: 7, isCatchingUp: false,
          owesCaughtUp: true, owedFrames: [OpenTestSession.id(1)], unpresented: openings))
      var writer = StateWriter()
      state.write(to: &writer)
      let read = try writer.bytes.withUnsafeBytes { try ConnectionState($0) }
      #expect(read == state)
    }
  }
}
