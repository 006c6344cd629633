import CSystemd
import Glibc
import Platform
import Testing
import Varlink

@testable import ScrollService

@Suite struct ConnectionKeeperTests {
  /// A service that a test scripts.
  private final class ScriptedService: HandOverService {
    var worthKeeping: Set<ConnectionID> = []
    var idleStates: [ConnectionID: ConnectionState] = [:]
    var finalStates: [ConnectionID: ConnectionState] = [:]
    /// The ids that connections of the last daemon get; those beyond are refused.
    var nextIDs: [ConnectionID] = []
    private(set) var resumed: [ConnectionState] = []
    private(set) var lostCount = 0

    func isWorthKeeping(_ id: ConnectionID) -> Bool { worthKeeping.contains(id) }
    func idleState(of id: ConnectionID) -> ConnectionState? { idleStates[id] }
    func finalState(of id: ConnectionID) -> ConnectionState? { finalStates[id] }

    func resume(_ state: ConnectionState, _ peer: Peer) -> ConnectionID? {
      if nextIDs.isEmpty { return nil }
      resumed.append(state)
      return nextIDs.removeFirst()
    }

    func countLostConnections(_ count: Int) { lostCount += count }
  }

  /// A keeper whose table the test reads as the next daemon would. No service manager stores descriptors.
  private final class Scene {
    let service = ScriptedService()
    let journal = JournalRecorder()
    let keeper: ConnectionKeeper
    private let table: HandOverTable
    private let memory: SharedMemory
    /// The other end of all sockets.
    private let peer: FileDescriptor
    private let descriptor: FileDescriptor

    init(slots: Int = 2) throws {
      memory = try SharedMemory(name: "test", size: HandOverTable.size(slotCount: slots))
      table = HandOverTable(new: memory.bytes, slotCount: slots)
      let passed = PassedDescriptors(tables: [dup(memory.borrowed.rawValue)])
      let begun = HandOver.begin(DescriptorStore(capacity: slots + 1), passed, journal: journal.journal)
      keeper = ConnectionKeeper(service, try #require(begun).handOver, journal: journal.journal)
      var pair: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
      descriptor = FileDescriptor(pair[0])
      peer = FileDescriptor(pair[1])
    }

    /// A socket of a connection, which has made a call unless it is not worth keeping.
    func socket(_ id: ConnectionID, isWorthKeeping: Bool = true) -> ConnectionSocket {
      if isWorthKeeping { service.worthKeeping.insert(id) }
      return ConnectionSocket(id: id, FileDescriptor(dup(descriptor.rawValue)))
    }

    /// A connection of the last daemon.
    func inherited(in slot: Int) -> HandOver.InheritedConnection {
      HandOver.InheritedConnection(
        slot: slot, descriptor: dup(descriptor.rawValue), state: ConnectionState(lastPosition: 7))
    }

    /// The state that the next daemon would find for a connection.
    func stored(_ socket: ConnectionSocket) throws -> ConnectionState? {
      var status = stat()
      try #require(fstat(socket.rawValue, &status) == 0)
      return try table.state(in: try #require(socket.slot), inode: UInt64(status.st_ino))
    }

    /// Whether the peer sees the end of the connection.
    var isShutDown: Bool {
      var byte: UInt8 = 0
      return recv(peer.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
  }

  private let state = ConnectionState(lastPosition: 12)

  // MARK: While connections are used

  @Test func aConnectionIsKeptFromItsFirstCallOn() throws {
    let scene = try Scene()
    let socket = scene.socket(1, isWorthKeeping: false)
    scene.service.idleStates[1] = state
    scene.keeper.didUse(socket)
    #expect(socket.slot == nil)
    scene.service.worthKeeping.insert(1)
    scene.keeper.didUse(socket)
    #expect(try scene.stored(socket) == state)
    #expect(scene.keeper.busyConnections == [])
  }

  @Test func aConnectionHasAStateOnlyWhileItIsIdle() throws {
    let scene = try Scene()
    let socket = scene.socket(1)
    scene.keeper.didUse(socket)
    #expect(scene.keeper.busyConnections == [1])
    #expect(try scene.stored(socket) == nil)
    scene.service.idleStates[1] = state
    scene.keeper.didUse(socket)
    #expect(try scene.stored(socket) == state)
    scene.keeper.willUse(socket)
    #expect(scene.keeper.busyConnections == [1])
    #expect(try scene.stored(socket) == nil)
  }

  @Test func aReleasedSlotKeepsAnotherConnection() throws {
    let scene = try Scene(slots: 1)
    let (first, second) = (scene.socket(1), scene.socket(2))
    scene.keeper.didUse(first)
    scene.keeper.didUse(second)
    #expect(first.slot == 0 && second.slot == nil)
    scene.keeper.release(first)
    #expect(scene.keeper.busyConnections == [])
    scene.keeper.didUse(second)
    #expect(second.slot == 0)
  }

  @Test func between2Ticks256ConnectionsBeginToBeKept() throws {
    let scene = try Scene(slots: 300)
    let sockets = (1...257).map { scene.socket(ConnectionID($0)) }
    for socket in sockets { scene.keeper.didUse(socket) }
    #expect(sockets.count { $0.slot != nil } == 256)
    scene.keeper.tick()
    for socket in sockets { scene.keeper.didUse(socket) }
    #expect(sockets.allSatisfy { $0.slot != nil })
  }

  // MARK: Kills

  /// After each step the next daemon would find exactly the idle connections, each with its state of that moment.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func afterAKillAtAnyStepOnlyIdleConnectionsAreFoundWithTheirLatestStates(seed: UInt64) throws {
    // A generator of its own: the modules that have one hide parts of the C library.
    var bits = seed
    func random(_ bound: Int) -> Int {
      bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(bits >> 33) % bound
    }
    let scene = try Scene(slots: 3)
    var sockets: [ConnectionID: ConnectionSocket] = [:]
    var expected: [ConnectionID: ConnectionState] = [:]
    var nextID: ConnectionID = 1
    for step in 0..<200 {
      let ids = sockets.keys.sorted()
      if ids.count < 3, ids.isEmpty || random(5) == 0 {
        sockets[nextID] = scene.socket(nextID)
        nextID += 1
        continue
      }
      let id = ids[random(ids.count)]
      let socket = try #require(sockets[id])
      switch random(10) {
      case 0...3:
        scene.keeper.willUse(socket)
        scene.service.idleStates[id] = nil
        expected[id] = nil
      case 4...5:
        // Used, and still busy.
        scene.keeper.didUse(socket)
      case 6...8:
        let state = ConnectionState(lastPosition: Int64(step))
        scene.keeper.willUse(socket)
        scene.service.idleStates[id] = state
        scene.keeper.didUse(socket)
        expected[id] = state
      default:
        scene.keeper.release(socket)
        sockets[id] = nil
        expected[id] = nil
      }
      for (id, socket) in sockets where socket.slot != nil {
        #expect(try scene.stored(socket) == expected[id], "seed \(seed), step \(step), connection \(id)")
      }
      let busy = sockets.filter { $0.value.slot != nil && expected[$0.key] == nil }.keys
      #expect(Set(scene.keeper.busyConnections) == Set(busy))
    }
  }

  // MARK: For the next daemon

  @Test func aCleanStopLeavesAllConnectionsThatCanBeResumed() throws {
    let scene = try Scene(slots: 3)
    let sockets = [scene.socket(1), scene.socket(2), scene.socket(3, isWorthKeeping: false)]
    for socket in sockets { scene.keeper.didUse(socket) }
    scene.service.finalStates = [1: state, 3: ConnectionState(lastPosition: 3)]
    #expect(scene.keeper.finish(sockets, isClean: true) == [1, 3])
    #expect(try scene.stored(sockets[0]) == state)
    #expect(try scene.stored(sockets[2]) == ConnectionState(lastPosition: 3))
    #expect(scene.journal.entries.map(\.kind) == [.handedOver])
  }

  @Test func afterAFailureOnlyIdleConnectionsAreLeft() throws {
    let scene = try Scene()
    let sockets = [scene.socket(1), scene.socket(2), scene.socket(3)]
    scene.service.idleStates[1] = state
    for socket in sockets { scene.keeper.didUse(socket) }
    scene.service.finalStates = [1: state, 2: state, 3: state]
    #expect(scene.keeper.finish(sockets, isClean: false) == [1])
  }

  // MARK: From the last daemon

  @Test func connectionsThatCannotBeResumedAreEndedAndCounted() throws {
    let scene = try Scene()
    scene.service.nextIDs = [5]
    var served: [ConnectionID] = []
    var inherited = HandOver.Inherited(connections: [scene.inherited(in: 0)], lost: 2)
    scene.keeper.resume(inherited) { id, descriptor, slot in
      #expect(slot == 0)
      served.append(id)
      close(descriptor)
    }
    #expect(served == [5])
    #expect(scene.service.resumed.map(\.lastPosition) == [7])
    #expect(scene.service.lostCount == 2)
    #expect(!scene.isShutDown)
    inherited = HandOver.Inherited(connections: [scene.inherited(in: 1)])
    scene.keeper.resume(inherited) { id, _, _ in served.append(id) }
    #expect(served == [5])
    #expect(scene.service.lostCount == 3)
    #expect(scene.isShutDown)
    #expect(scene.journal.entries.map(\.kind) == [.connectionsLost, .connectionsLost])
  }

  @Test func nothingIsLoggedWhereTheLastDaemonLeftNothing() throws {
    let scene = try Scene()
    scene.keeper.resume(HandOver.Inherited()) { _, _, _ in }
    #expect(scene.journal.entries.isEmpty)
  }
}
