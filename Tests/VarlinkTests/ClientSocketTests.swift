import Glibc
import Platform
import Testing
import Varlink

@Suite struct ClientSocketTests {
  /// Creates a connected pair of stream sockets.
  private func pair() throws -> (client: Int32, peer: Int32) {
    var descriptors: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (descriptors[0], descriptors[1])
  }

  private func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  private func read(from descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func aCallIsSentAndItsReplyRead() throws {
    let (client, peer) = try pair()
    defer { close(peer) }
    let socket = ClientSocket(descriptor: client)
    // The reply is there before the call is made.
    write(#"{"parameters":{"pong":"x"}}"# + "\0", to: peer)
    let pong = try socket.call("org.x.Ping", timeout: .seconds(60)) {
      $0.member("ping", "x")
    } reply: { p in
      try p.string("pong")
    }
    #expect(pong == "x")
    #expect(read(from: peer) == #"{"method":"org.x.Ping","parameters":{"ping":"x"}}"# + "\0")
  }

  @Test func anErrorReplyIsThrown() throws {
    let (client, peer) = try pair()
    defer { close(peer) }
    let socket = ClientSocket(descriptor: client)
    write(#"{"error":"org.x.Broken","parameters":{"why":"y"}}"# + "\0", to: peer)
    #expect(throws: VarlinkError("org.x.Broken") { $0.member("why", "y") }) { try socket.call("org.x.Break") }
  }

  @Test func aStreamIsReadReplyByReply() throws {
    let (client, peer) = try pair()
    defer { close(peer) }
    let socket = ClientSocket(descriptor: client)
    let token = try socket.send("org.x.Watch", .more)
    write((0..<3).map { #"{"parameters":{"n":\#($0)},"continues":\#($0 < 2)}"# + "\0" }.joined(), to: peer)
    for number in 0..<3 {
      let reply = try socket.nextReply(timeout: .seconds(60)) { reply in
        #expect(reply.token == token)
        return (reply.parameterObject?["n"]?.asInt64, reply.continues)
      }
      #expect(reply?.0 == Int64(number))
      #expect(reply?.1 == (number < 2))
    }
  }

  @Test func waitingForAReplyEndsAtTheTimeout() throws {
    let (client, peer) = try pair()
    defer { close(peer) }
    let socket = ClientSocket(descriptor: client)
    try socket.send("org.x.Ping")
    #expect(try socket.nextReply(timeout: .milliseconds(1)) { _ in true } == nil)
    #expect(try socket.nextReply(timeout: .zero) { _ in true } == nil)
    #expect(socket.connection.awaitsReplies)
  }

  @Test func aCallWithoutAReplyTimesOut() throws {
    let (client, peer) = try pair()
    defer { close(peer) }
    let socket = ClientSocket(descriptor: client)
    #expect(throws: SocketError.failed(doing: "waiting for", address: "descriptor \(client)", .timedOut)) {
      try socket.call("org.x.Ping", timeout: .milliseconds(1))
    }
  }

  @Test func aConnectionThatTheServiceClosesIsReported() throws {
    let (client, peer) = try pair()
    let socket = ClientSocket(descriptor: client)
    try socket.send("org.x.Ping")
    #expect(shutdown(peer, Int32(SHUT_WR)) == 0)
    #expect(throws: SocketError.closedByPeer(address: "descriptor \(client)")) { try socket.nextReply { _ in } }
    close(peer)
    #expect(throws: SocketError.failed(doing: "sending to", address: "descriptor \(client)", .brokenPipe)) {
      try socket.send("org.x.Ping")
    }
  }

  @Test func repliesBeforeTheEndAreRead() throws {
    let (client, peer) = try pair()
    let socket = ClientSocket(descriptor: client)
    try socket.send("org.x.Ping")
    try socket.send("org.x.Ping")
    try socket.shutdownSending()
    write("{}\0{}\0", to: peer)
    #expect(shutdown(peer, Int32(SHUT_WR)) == 0)
    #expect(try socket.nextReply { _ in true } == true)
    #expect(try socket.nextReply { _ in true } == true)
    #expect(throws: SocketError.closedByPeer(address: "descriptor \(client)")) { try socket.nextReply { _ in } }
    close(peer)
  }

  @Test func aFailureToConnectNamesTheAddressAndTheReason() throws {
    let path = "/tmp/varlink-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    #expect(throws: SocketError.failed(doing: "connecting to", address: "unix:\(path)", .noSuchFile)) {
      try ClientSocket(.path(path))
    }
    let error = SocketError.failed(doing: "connecting to", address: "unix:\(path)", .connectionRefused)
    #expect(error.description == "connecting to unix:\(path): Connection refused")
    let long = String(repeating: "x", count: 108)
    #expect(throws: SocketError.addressTooLong(address: "unix:/\(long)")) { try ClientSocket(.path("/" + long)) }
    #expect(throws: SocketError.failed(doing: "connecting to", address: "unix:@\(path)", .connectionRefused)) {
      try ClientSocket(.abstract(path))
    }
  }

  @Test(arguments: [false, true])
  func aClientConnectsToAPathAndToAnAbstractName(isAbstract: Bool) throws {
    let name = "/tmp/varlink-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 0)
    defer {
      close(listener)
      unlink(name)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = isAbstract ? [0] + Array(name.utf8) : Array(name.utf8) + [0]
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
    }
    try #require(bound == 0 && listen(listener, 1) == 0)

    let client = try ClientSocket(isAbstract ? .abstract(name) : .path(name))
    let peer = accept(listener, nil, nil)
    try #require(peer >= 0)
    defer { close(peer) }
    try client.send("org.x.Ping")
    #expect(read(from: peer) == #"{"method":"org.x.Ping","parameters":{}}"# + "\0")
  }
}
