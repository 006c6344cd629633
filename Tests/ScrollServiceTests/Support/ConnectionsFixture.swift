import JSON
import Varlink

@testable import ScrollService

/// Connections with a handler that a test scripts; what peers send and get are bytes.
final class ConnectionsFixture {
  let clock = HandClock()
  let journal = JournalRecorder()
  let handler = ScriptedHandler()
  let connections: Connections
  private var peers: [ConnectionID: ClientConnection] = [:]
  private let parser = JSONParser()

  init(access: AccessRules = AccessRules(), _ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    connections = Connections(
      ConnectionLimits(configuration), clock: clock.service, journal: journal.journal, access: { access })
  }

  /// A new connection; `nil` when it is refused.
  func connect(user: UInt32 = 1000, descriptors: Int = .max) -> Connection? {
    guard let connection = connections.connect(Peer(user: user), descriptors: descriptors) else { return nil }
    peers[connection.id] = ClientConnection()
    return connection
  }

  /// Calls a method on a connection so many times at once.
  func call(
    _ method: String = "a.B", times count: Int = 1, mode: CallMode = .once, on connection: Connection,
    _ handler: (any CallHandler)? = nil, _ members: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard let peer = peers[connection.id] else { return }
    for _ in 0..<count { peer.call(method, mode, members) }
    let bytes = peer.withUnsafeOutput { Array($0) }
    peer.consumeOutput(bytes.count)
    receive(bytes, on: connection, handler)
  }

  /// Lets a connection receive bytes as they are, and gives a turn to all that have work.
  func receive(_ bytes: [UInt8], on connection: Connection, _ handler: (any CallHandler)? = nil) {
    arrive(bytes, on: connection)
    if let handler { _ = connections.advance(handler) } else { _ = connections.advance(self.handler) }
  }

  /// Lets a connection receive bytes, without giving it a turn.
  func arrive(_ bytes: [UInt8], on connection: Connection) {
    bytes.withUnsafeBytes { connections.receive($0, on: connection.id) }
  }

  /// Lets calls arrive on a connection, without giving it a turn.
  func arrive(calls count: Int, on connection: Connection) {
    arrive((0..<count).flatMap { _ in Array(#"{"method":"a.B"}"#.utf8) + [0] }, on: connection)
  }

  /// Gives turns until there is no work.
  func settle() {
    while connections.advance(handler) {}
  }

  /// Takes the output of a connection.
  ///
  /// - Returns: The replies in it: the error's own name or, of others, the parameters.
  @discardableResult
  func read(_ connection: Connection) -> [String] {
    guard let peer = peers[connection.id] else { return [] }
    let count = connection.withOutput { bytes in
      peer.receive(bytes)
      return bytes.count
    }
    connections.consumeOutput(count, of: connection.id)
    var replies: [String] = []
    while let reply = try? peer.nextReply(
      using: parser,
      { reply in
        reply.error?.shortName ?? "\(JSONTree(reply.parameterObject))"
      })
    {
      replies.append(reply)
    }
    return replies
  }
}

/// A call handler that does with each call what a test says. By default it answers at once.
final class ScriptedHandler: CallHandler {
  var takesCalls = true
  var isFull = false
  /// The users whose calls wait for the next block.
  var fullUsers: Set<UInt32> = []
  /// The calls so far: the connection and the method.
  private(set) var handled: [(connection: ConnectionID, method: String)] = []
  var onCall: (Call, Connection) throws(VarlinkError) -> NextCall = { call, connection in
    connection.reply(call.token)
    return .mayFollow
  }

  func isFull(for share: UserShare) -> Bool { isFull || fullUsers.contains(share.user) }

  func handle(_ call: Call, on connection: Connection) throws(VarlinkError) -> NextCall {
    handled.append((connection.id, call.method.string))
    return try onCall(call, connection)
  }

  func count(of connection: Connection) -> Int { handled.count { $0.connection == connection.id } }
}

/// A stream that does in each step what a test says, and keeps what was asked of it.
final class ScriptedStream: ReplyStream {
  let channel: ReplyChannel
  /// The outcomes of the next steps; then it waits for news.
  var steps: [StreamProgress]
  var wantsRoom = false
  var mayRestart = true
  var heldBytes = 0
  private(set) var advanceCount = 0
  private(set) var heartbeatCount = 0
  private(set) var endCount = 0
  private(set) var errors: [VarlinkError] = []
  var onAdvance: (ReplyChannel) -> Void = { _ in }

  init(_ connection: Connection, _ call: Call, steps: [StreamProgress] = []) {
    channel = ReplyChannel(connection, call.token)
    self.steps = steps
  }

  func advance() -> StreamProgress {
    advanceCount += 1
    onAdvance(channel)
    return steps.isEmpty ? .waiting : steps.removeFirst()
  }

  func sendHeartbeat() {
    heartbeatCount += 1
    channel.send()
  }

  func handOver() -> StreamHandOver { .restarts }

  func fail(_ error: VarlinkError) {
    errors.append(error)
    channel.fail(error)
  }

  func end() { endCount += 1 }
}
