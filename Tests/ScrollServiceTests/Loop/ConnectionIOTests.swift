import CSystemd
import Glibc
import Platform
import Testing

@testable import ScrollService

/// The sockets of connections, with a scripted service, and a table of connections that is read as the next daemon would read
/// it after a kill at that moment.
@Suite struct ConnectionIOTests {
  /// A service that echoes nothing, and looks at the table whenever bytes come or go.
  private final class ScriptedService: ConnectionService, HandOverService {
    var idle: [ConnectionID: ConnectionState] = [:]
    var output: [ConnectionID: [UInt8]] = [:]
    var wantsInput = true
    private(set) var received: [UInt8] = []
    private(set) var disconnected: [ConnectionID] = []
    /// What the next daemon would find if this one were killed while it works with the connection's bytes.
    private(set) var foundMeanwhile: [ConnectionState?] = []
    var look: () throws -> ConnectionState? = { nil }
    private var next: ConnectionID = 1

    func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID? {
      defer { next += 1 }
      return next
    }

    func isWorthKeeping(_ id: ConnectionID) -> Bool { true }
    func idleState(of id: ConnectionID) -> ConnectionState? { idle[id] }
    func finalState(of id: ConnectionID) -> ConnectionState? { idle[id] }
    func countLostConnections(_ count: Int) {}
    func connect(_ peer: Peer, descriptors: Int) -> ConnectionID? { nil }

    func receive(_ bytes: UnsafeRawBufferPointer, on id: ConnectionID) {
      received += bytes
      // The service knows of calls that it has not handled.
      idle[id] = nil
      record()
    }

    func receiveEnd(on id: ConnectionID) { record() }
    func disconnect(_ id: ConnectionID) { disconnected.append(id) }
    func wantsInput(on id: ConnectionID) -> Bool { wantsInput }
    func receiptLimit(of id: ConnectionID) -> Int { 4096 }
    func hasEnded(_ id: ConnectionID) -> Bool { false }
    func isFinished(_ id: ConnectionID) -> Bool { false }
    func hasSentLastReply(_ id: ConnectionID) -> Bool { false }
    func isCrowded(_ id: ConnectionID) -> Bool { false }

    func withOutput<Result>(of id: ConnectionID, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
      (output[id] ?? []).withUnsafeBytes { body($0) }
    }

    func consumeOutput(_ count: Int, of id: ConnectionID) {
      output[id]?.removeFirst(count)
      record()
    }

    private func record() { foundMeanwhile.append(try? look()) }
  }

  /// A connection that the daemon before left, in slot 0.
  private final class Scene {
    static let left = ConnectionState(lastPosition: 7)

    let service = ScriptedService()
    let io: ConnectionIO
    let peer: FileDescriptor
    private let table: HandOverTable
    private let memory: SharedMemory
    private let event: OpaquePointer
    private let descriptor: FileDescriptor
    private let path: String

    init() throws {
      memory = try SharedMemory(name: "test", size: HandOverTable.size(slotCount: 2))
      table = HandOverTable(new: memory.bytes, slotCount: 2)
      let passed = PassedDescriptors(tables: [dup(memory.borrowed.rawValue)])
      let journal = JournalRecorder()
      let begun = HandOver.begin(DescriptorStore(capacity: 3), passed, journal: journal.journal)
      let keeper = ConnectionKeeper(service, try #require(begun).handOver, journal: journal.journal)
      var loop: OpaquePointer?
      try #require(sd_event_new(&loop) >= 0)
      event = try #require(loop)
      path = try Directory.makeTemporary(prefix: "/tmp/scrolld-io-")
      io = try ConnectionIO(
        service, ListeningSocket.listen(at: path + "/socket"), keeper, event: event, journal: journal.journal)
      var pair: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
      descriptor = FileDescriptor(pair[0])
      peer = FileDescriptor(pair[1])
      service.look = { [unowned self] in try stored() }
      service.idle[1] = Self.left
      io.resume(
        HandOver.Inherited(
          connections: [HandOver.InheritedConnection(slot: 0, descriptor: dup(pair[0]), state: Self.left)]))
    }

    deinit {
      io.finish(isClean: false)
      Directory.removeTree(path)
    }

    /// What the next daemon would find for the connection.
    func stored() throws -> ConnectionState? {
      var status = stat()
      try #require(fstat(descriptor.rawValue, &status) == 0)
      return try table.state(in: 0, inode: UInt64(status.st_ino))
    }

    /// Dispatches what is due.
    func dispatch() { while sd_event_run(event, 0) > 0 {} }

    func sendFromPeer(_ text: String) throws {
      let sent = Array(text.utf8).withUnsafeBytes { Glibc.send(peer.rawValue, $0.baseAddress, $0.count, 0) }
      try #require(sent == text.utf8.count)
    }
  }

  private let next = ConnectionState(lastPosition: 8)

  @Test func aKillWhileBytesComeLeavesNothingOfTheConnection() throws {
    let scene = try Scene()
    #expect(try scene.stored() == Scene.left, "the connection is idle")
    for round in 1...3 {
      try scene.sendFromPeer("call \(round)")
      scene.dispatch()
      #expect(scene.service.foundMeanwhile.count == round)
      #expect(try scene.stored() == nil, "its call is not answered")
      scene.io.settle([1])
      #expect(try scene.stored() == nil, "its call is not answered, and it had a turn")
      scene.service.idle[1] = next
      scene.io.settle([1])
      #expect(try scene.stored() == next)
    }
    #expect(scene.service.foundMeanwhile == [nil, nil, nil])
    #expect(scene.service.received == Array("call 1call 2call 3".utf8))
  }

  @Test func aKillWhileBytesGoLeavesNothingOfTheConnection() throws {
    let scene = try Scene()
    scene.service.output[1] = Array("answer".utf8)
    // The service still returns the state with these bytes in it, which are now being sent.
    scene.io.send(1)
    #expect(scene.service.foundMeanwhile == [nil])
    #expect(try scene.stored() == Scene.left)
    scene.service.idle[1] = nil
    scene.service.output[1] = Array("half".utf8)
    scene.io.send(1)
    #expect(try scene.stored() == nil, "it is busy")
    scene.service.idle[1] = next
    scene.io.keepIdle([1])
    #expect(try scene.stored() == next)
  }

  @Test func nothingIsLeftOfAConnectionThatIsClosed() throws {
    let scene = try Scene()
    shutdown(scene.peer.rawValue, Int32(SHUT_RDWR))
    scene.dispatch()
    #expect(try scene.stored() == nil)
    #expect(scene.service.foundMeanwhile == [nil] || scene.service.disconnected == [1])
  }
}
