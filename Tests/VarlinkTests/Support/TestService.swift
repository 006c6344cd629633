import JSON
import Varlink

/// A service of `org.example.test` on one connection without a socket.
final class TestService {
  static let interface = """
    # Methods for the tests.
    interface org.example.test

    method Ping(ping: string) -> (pong: string)
    method Nothing() -> ()
    method Add(a: int, b: ?int) -> (sum: int)
    method Half(x: float) -> (half: float)

    # The test replies, and the calls after it are handled at once.
    method Later() -> (answer: string)

    # The test replies any number of times, and the calls after it wait.
    method Watch() -> (event: string)

    error Broken (why: string)
    method Break() -> ()

    """

  let service: VarlinkService
  let connection: ServerConnection
  let parser = JSONParser()
  /// The calls of `Later` that await answers.
  private(set) var later: [CallToken] = []
  /// The last call of `Watch`.
  private(set) var watch: CallToken?
  /// The methods of all calls that were handled.
  private(set) var taken: [String] = []

  init(maximumMessageSize: Int = ServerConnection.defaultMaximumMessageSize) throws {
    service = try VarlinkService(
      vendor: "Test vendor", product: "Test product", version: "1.2", url: "https://example.org/",
      interfaces: [InterfaceDescription(TestService.interface)])
    connection = ServerConnection(maximumMessageSize: maximumMessageSize)
  }

  /// Creates a service on an existing connection.
  init(_ connection: ServerConnection) throws {
    service = try VarlinkService(
      vendor: "Test vendor", product: "Test product", version: "1.2", url: "https://example.org/",
      interfaces: [InterfaceDescription(TestService.interface)])
    self.connection = connection
  }

  /// Receives bytes and handles the calls in them.
  func receive(_ bytes: some Collection<UInt8>) {
    Array(bytes).withUnsafeBytes { connection.receive($0) }
    takeCalls()
  }

  /// Receives messages, adding a NUL to each, and handles the calls in them.
  func receive(_ messages: String...) {
    receive(messages.flatMap { Array($0.utf8) + [0] })
  }

  func receiveEnd() {
    connection.receiveEnd()
    takeCalls()
  }

  func takeCalls() {
    while connection.nextCall(using: parser, handle) {}
  }

  /// Removes and returns the output, as one string per message. An incomplete message ends with "…".
  func sent() -> [String] {
    let bytes = connection.withUnsafeOutput { Array($0) }
    connection.consumeOutput(bytes.count)
    var messages = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    if let last = messages.popLast(), !last.isEmpty { messages.append(last + "…") }
    return messages
  }

  /// Receives a message and returns the output.
  func answer(to message: String) -> [String] {
    receive(message)
    return sent()
  }

  private func handle(_ call: Call) throws(VarlinkError) -> NextCall {
    taken.append(call.method.string)
    guard let method = try service.route(call, on: connection) else { return .mayFollow }
    var p = call.parameters()
    switch method.description.name {
    case "Ping":
      let ping = try p.string("ping")
      try p.finish()
      connection.reply(call.token) { $0.member("pong", ping) }
    case "Nothing":
      try p.finish()
      connection.reply(call.token)
    case "Add":
      let a = try p.int("a")
      let b = try p.optionalInt("b")
      try p.finish()
      connection.reply(call.token) { $0.member("sum", a &+ (b ?? 0)) }
    case "Half":
      let x = try p.double("x")
      try p.finish()
      connection.reply(call.token) { $0.member("half", x / 2) }
    case "Later":
      try p.finish()
      later.append(call.token)
    case "Watch":
      try call.requireMore()
      try p.finish()
      watch = call.token
      return .waits
    case "Break":
      throw VarlinkError("org.example.test.Broken") { $0.member("why", "asked to") }
    default:
      throw .methodNotImplemented(call.method.string)
    }
    return .mayFollow
  }
}
