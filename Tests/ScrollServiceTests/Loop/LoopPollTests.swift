import Glibc
import Platform
import Testing

@testable import ScrollService

@Suite struct LoopPollTests {
  /// A poll, and connections whose far ends are written to.
  private final class Scene {
    let poll: LoopPoll
    private(set) var sockets: [ConnectionSocket] = []
    private var counters: [EventCounter] = []

    init() throws { poll = try LoopPoll() }

    /// Adds a connection that can be received from. An eventfd stands for its socket.
    func add(isCrowded: Bool) throws -> ConnectionSocket {
      let counter = try EventCounter()
      counter.increment()
      counters.append(counter)
      let descriptor = FileDescriptor(dup(counter.borrowed.rawValue))
      let socket = ConnectionSocket(id: UInt64(sockets.count) + 1, descriptor)
      sockets.append(socket)
      try poll.set(socket, .init(interest: .input, isCrowded: isCrowded))
      return socket
    }

    /// Returns the connections that are ready, in their order.
    func ready() throws -> [ConnectionID] {
      try poll.wait(blocks: false)
      var ids: [ConnectionID] = []
      while case .connection(let id, _) = try poll.next() { ids.append(id) }
      return ids
    }
  }

  @Test func crowdedConnectionsAreReportedAfterAllOthers() throws {
    let scene = try Scene()
    _ = try scene.add(isCrowded: true)
    _ = try scene.add(isCrowded: false)
    _ = try scene.add(isCrowded: true)
    _ = try scene.add(isCrowded: false)
    let ready = try scene.ready()
    #expect(Set(ready.prefix(2)) == [2, 4])
    #expect(Set(ready.suffix(2)) == [1, 3])
    #expect(ready.count == 4)
  }

  @Test func othersComeBeforeCrowdedConnectionsThatWereLeft() throws {
    let scene = try Scene()
    for _ in 0..<3 { _ = try scene.add(isCrowded: true) }
    try scene.poll.wait(blocks: false)
    guard case .connection = try scene.poll.next() else {
      Issue.record("no connection is ready")
      return
    }
    let late = try scene.add(isCrowded: false)
    let ready = try scene.ready()
    #expect(ready.first == late.id)
    #expect(ready.count >= 3)
  }

  @Test func aConnectionMovesBetweenTheCrowdAndTheOthers() throws {
    let scene = try Scene()
    let (first, second) = (try scene.add(isCrowded: true), try scene.add(isCrowded: false))
    try scene.poll.set(first, .init(interest: .input, isCrowded: false))
    try scene.poll.set(second, .init(interest: .input, isCrowded: true))
    #expect(try scene.ready() == [1, 2])
    try scene.poll.set(first, nil)
    #expect(try scene.ready() == [2])
    try scene.poll.set(second, nil)
    #expect(try scene.ready() == [])
    try scene.poll.set(first, .init(interest: .input, isCrowded: true))
    #expect(try scene.ready() == [1])
  }
}
