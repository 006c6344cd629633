import Foundation
import JSON
import ScrollClient
import Varlink

/// A daemon whose answers a test chooses, at an address of its own. It ends with its last reference.
public final class FakeDaemon: Sendable {
  /// A call that the daemon received.
  public struct Received: Equatable, Sendable {
    /// The method's name without its interface.
    public var method: String
    /// The parameters as JSON.
    public var parameters: String

    fileprivate init(_ call: Call) {
      method = String(call.method.string.split(separator: ".").last ?? "")
      var writer = JSONWriter()
      writer.beginObject()
      for member in call.parameterObject.map(Array.init) ?? [] {
        writer.key(utf8: member.name.bytes)
        member.value.write(to: &writer)
      }
      writer.endObject()
      parameters = String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  /// Answers a call. `count` is the number of calls before it.
  public typealias Handler = @Sendable (_ call: Call, _ count: Int, _ connection: ServerConnection) -> Answer

  /// The answer to a call.
  public enum Answer: Sendable {
    /// One reply with these parameters.
    case reply(String)
    /// Replies; `ends` tells whether the last one ends the stream.
    case stream([String], ends: Bool)
    /// Replies, and then an error.
    case broken([String], VarlinkError)
    /// An error.
    case error(VarlinkError)
    /// No reply: the daemon closes the connection.
    case hangUp
  }

  /// The address that it listens on.
  public let address: ServiceAddress

  private let descriptor: Int32
  private let calls = Calls()

  /// Starts to listen.
  public init(_ handler: @escaping Handler) throws {
    let name = "scrolld-test-\(UUID().uuidString)"
    address = ServiceAddress("unix:@\(name)")
    descriptor = try Self.listen(name)
    let (descriptor, calls) = (descriptor, calls)
    Thread.detachNewThread {
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        Thread.detachNewThread { Self.serve(connection, calls, handler) }
      }
      // Closed only here: closing it while this thread is about to accept could give its number to another daemon, whose
      // calls this handler would then answer.
      close(descriptor)
    }
  }

  deinit {
    // Ends accept(2), whether it is blocked or still to come.
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// The received calls, in order.
  public var received: [Received] { calls.all }

  private static func serve(_ descriptor: Int32, _ calls: Calls, _ handler: Handler) {
    defer { close(descriptor) }
    let connection = ServerConnection()
    let parser = JSONParser()
    var room = [UInt8](repeating: 0, count: 65536)
    var isHungUp = false
    while !isHungUp {
      let count = recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return }
      room.withUnsafeBytes { connection.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      var hasMore = true
      while hasMore && !isHungUp {
        hasMore = connection.nextCall(using: parser) { call in
          let before = calls.add(Received(call))
          return answer(handler(call, before, connection), call, connection, &isHungUp)
        }
      }
      send(connection, descriptor)
    }
  }

  private static func answer(
    _ answer: Answer, _ call: Call, _ connection: ServerConnection, _ isHungUp: inout Bool
  ) -> NextCall {
    switch answer {
    case .reply(let parameters):
      reply(parameters, to: call.token, on: connection, continues: false)
      return .mayFollow
    case .stream(let replies, let ends):
      for (index, parameters) in replies.enumerated() {
        reply(parameters, to: call.token, on: connection, continues: !(ends && index + 1 == replies.count))
      }
      return ends ? .mayFollow : .waits
    case .broken(let replies, let error):
      for parameters in replies { reply(parameters, to: call.token, on: connection, continues: true) }
      connection.reply(call.token, error: error)
      return .mayFollow
    case .error(let error):
      connection.reply(call.token, error: error)
      return .mayFollow
    case .hangUp:
      isHungUp = true
      return .waits
    }
  }

  private static func reply(_ text: String, to token: CallToken, on connection: ServerConnection, continues: Bool) {
    Array(text.utf8).withUnsafeBytes { _ = connection.reply(token, continues: continues, encoded: $0) }
  }

  private static func send(_ connection: ServerConnection, _ descriptor: Int32) {
    while connection.outputCount > 0 {
      let sent = connection.withUnsafeOutput {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      connection.consumeOutput(sent)
    }
  }

  private static func listen(_ name: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array(name.utf8)) }
    let length = socklen_t((MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + 1 + name.utf8.count)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard descriptor >= 0, bound == 0, Foundation.listen(descriptor, 16) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    return descriptor
  }
}

/// The received calls, shared by several threads.
private final class Calls: @unchecked Sendable {
  // The lock guards the list.
  private let lock = NSLock()
  private var list: [FakeDaemon.Received] = []

  /// Adds a call, and returns the number of calls before it.
  func add(_ call: FakeDaemon.Received) -> Int {
    lock.withLock {
      list.append(call)
      return list.count - 1
    }
  }

  var all: [FakeDaemon.Received] { lock.withLock { list } }
}
