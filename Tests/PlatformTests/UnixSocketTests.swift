import Glibc
import Platform
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// A path in the directory, of a length.
  private func path(length: Int) -> String {
    directory.path + "/" + String(repeating: "x", count: length - directory.path.utf8.count - 1)
  }

  /// Binds a socket to an address, and connects another to it.
  private func meet(at address: UnixAddress) throws {
    let listener = try FileDescriptor(socket: .stream)
    try listener.borrowed.bind(to: address)
    try listener.borrowed.listen(backlog: 1)
    let client = try FileDescriptor(socket: .stream)
    try client.borrowed.connect(to: address)
    let server = FileDescriptor(try listener.borrowed.accept())
    try client.borrowed.write("hello")
    #expect(try read(server.borrowed) == "hello")
  }

  @Test("The longest path fits, and one byte more is too long")
  func longestPath() throws {
    #expect(UnixAddress.maximumPathLength == 107)
    try meet(at: .path(path(length: 107)))
    let socket = try FileDescriptor(socket: .stream)
    #expect(throws: Errno.nameTooLong) { try socket.borrowed.bind(to: .path(path(length: 108))) }
    #expect(throws: Errno.nameTooLong) { try socket.borrowed.connect(to: .path(path(length: 4000))) }
  }

  @Test("An abstract name has as many bytes as a path, and no file")
  func abstractNames() throws {
    let prefix = "platform-test-\(getpid())-"
    let longest = prefix + String(repeating: "x", count: 107 - prefix.utf8.count)
    try meet(at: .abstract(longest))
    let socket = try FileDescriptor(socket: .stream)
    #expect(throws: Errno.nameTooLong) { try socket.borrowed.bind(to: .abstract(longest + "x")) }
    #expect(throws: Errno.connectionRefused) { try socket.borrowed.connect(to: .abstract(longest)) }
  }

  @Test("An empty path and one with a NUL are invalid", arguments: ["", "/tmp/a\0b"])
  func invalidPaths(path: String) throws {
    let socket = try FileDescriptor(socket: .stream)
    #expect(throws: Errno.invalidArgument) { try socket.borrowed.bind(to: .path(path)) }
  }

  @Test("A path in use, a missing path and a stale socket fail with different errors")
  func failures() throws {
    let path = directory.path + "/socket"
    let client = try FileDescriptor(socket: .stream)
    #expect(throws: Errno.noSuchFile) { try client.borrowed.connect(to: .path(path)) }
    func listen() throws {
      let listener = try FileDescriptor(socket: .stream)
      try listener.borrowed.bind(to: .path(path))
      try listener.borrowed.listen(backlog: 1)
      let second = try FileDescriptor(socket: .stream)
      #expect(throws: Errno.addressInUse) { try second.borrowed.bind(to: .path(path)) }
      #expect(listener.rawValue >= 0)
    }
    try listen()
    #expect(throws: Errno.connectionRefused) { try client.borrowed.connect(to: .path(path)) }
  }

  @Test("A nonblocking listener has no connection to accept")
  func nonBlockingAccept() throws {
    let listener = try FileDescriptor(socket: .stream, isNonBlocking: true)
    try listener.borrowed.bind(to: .path(directory.path + "/socket"))
    try listener.borrowed.listen(backlog: 1)
    #expect(throws: Errno.wouldBlock) { try listener.borrowed.accept() }
  }

  @Test("Sending without waiting stops when the peer doesn't read, and fails when it is gone")
  func sending() throws {
    let (near, far) = try pair()
    let owner = FileDescriptor(near)
    let peer = FileDescriptor(far)
    let text = [UInt8](repeating: 120, count: 1 << 16)
    #expect(throws: Errno.wouldBlock) {
      try text.withUnsafeBytes { bytes in while true { _ = try owner.borrowed.send(bytes, waits: false) } }
    }
    _ = consume peer
    #expect(throws: Errno.brokenPipe) { try text.withUnsafeBytes { _ = try owner.borrowed.send($0) } }
  }

  @Test("The end of one side leaves the other side open")
  func shuttingDown() throws {
    let (near, far) = try pair()
    let owner = FileDescriptor(near)
    let peer = FileDescriptor(far)
    try owner.borrowed.shutdownSending()
    #expect(try read(peer.borrowed) == "")
    try peer.borrowed.write("still here")
    #expect(try read(owner.borrowed) == "still here")
    owner.borrowed.shutdownConnection()
    #expect(throws: Errno.brokenPipe) { try [1].withUnsafeBytes { _ = try peer.borrowed.send($0) } }
  }

  @Test("A datagram socket keeps messages apart")
  func datagrams() throws {
    let address = UnixAddress.path(directory.path + "/datagrams")
    let receiver = try FileDescriptor(socket: .datagram, isNonBlocking: true)
    try receiver.borrowed.bind(to: address)
    let sender = try FileDescriptor(socket: .datagram)
    try sender.borrowed.connect(to: address)
    try sender.borrowed.write("one")
    try sender.borrowed.write("two")
    #expect(try read(receiver.borrowed) == "one")
    #expect(try read(receiver.borrowed) == "two")
    #expect(throws: Errno.wouldBlock) { try read(receiver.borrowed) }
  }

  @Test("The kernel names the peer's user and groups")
  func credentials() throws {
    let (near, far) = try pair()
    let owner = FileDescriptor(near)
    let peer = FileDescriptor(far)
    let credentials = try owner.borrowed.peerCredentials()
    #expect(credentials.user == getuid())
    #expect(credentials.groups.first == getgid())
    let pipe = try TestPipe()
    #expect(throws: Errno.notSocket) { try pipe.reading.peerCredentials() }
    pipe.closeWriting()
    #expect(peer.rawValue >= 0)
  }

  private func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }
}
