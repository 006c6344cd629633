import Testing

@testable import ScrollService

@Suite struct BufferMemoryTests {
  private func makeMemory(buffer: Int, perUser: Int, output: Int = 1 << 30) -> BufferMemory {
    var configuration = Configuration()
    configuration.maximumBuffer = buffer
    configuration.maximumBufferPerUser = perUser
    configuration.maximumOutput = output
    return BufferMemory(ConnectionLimits(configuration))
  }

  private func makeShare(_ user: UInt32, connections: Int = 1) -> UserShare {
    let share = UserShare(user: user, limits: ConnectionLimits(Configuration()), now: 0)
    share.connections = connections
    return share
  }

  @Test func anEighthOfTheMemoryIsDividedAmongTheConnections() {
    let memory = makeMemory(buffer: 1 << 20, perUser: 1 << 19)
    memory.connectionCount = 4
    #expect(memory.outputLimit(of: makeShare(1000)) == 32 << 10)
    #expect(memory.outputLimit(of: makeShare(1000, connections: 4)) == 16 << 10)
    memory.connectionCount = 8
    #expect(memory.outputLimit(of: makeShare(1000)) == 16 << 10)
  }

  @Test func rootSharesTheMemoryOfAllOnly() {
    let memory = makeMemory(buffer: 1 << 20, perUser: 1 << 15)
    memory.connectionCount = 2
    #expect(memory.outputLimit(of: makeShare(0, connections: 2)) == 64 << 10)
    #expect(memory.outputLimit(of: makeShare(1000, connections: 2)) == 4096)
  }

  @Test func aConnectionMayAlwaysBuffer4096Bytes() {
    let memory = makeMemory(buffer: 1 << 20, perUser: 1 << 20)
    memory.connectionCount = 1 << 20
    #expect(memory.outputLimit(of: makeShare(1000)) == 4096)
    #expect(memory.receiptLimit(of: makeShare(1000)) == 4096)
  }

  @Test func theOutputLimitAndTheLargestReceiptBoundEveryPart() {
    let memory = makeMemory(buffer: 1 << 30, perUser: 1 << 30, output: 1000)
    memory.connectionCount = 1
    #expect(memory.outputLimit(of: makeShare(1000)) == 1000)
    #expect(memory.receiptLimit(of: makeShare(1000)) == 64 << 10)
  }

  @Test func limitsAreExceededByMoreThanTheyAllow() {
    let memory = makeMemory(buffer: 300, perUser: 100)
    let user = makeShare(1000)
    let root = makeShare(0)
    memory.add(100, to: user)
    #expect(memory.exceededLimit(of: user) == nil)
    memory.add(1, to: user)
    #expect(memory.exceededLimit(of: user)?.key == "BufferPerUserMax=")
    memory.add(199, to: root)
    #expect(memory.exceededLimit(of: root) == nil && memory.exceededLimit == nil)
    memory.add(1, to: root)
    #expect(memory.exceededLimit?.key == "BufferMax=")
    memory.add(-200, to: root)
    #expect(memory.exceededLimit == nil)
    #expect(root.bufferedBytes == 0 && memory.bufferedBytes == 101)
  }
}
