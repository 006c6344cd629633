import JSON
import ScrollTesting
import Varlink

/// A server's connection whose calls are answered at random: at once or later, in any order, once or several times, by replies
/// and by errors. The output is checked.
struct Conversation {
  /// A call that waits for a reply.
  private struct Owed {
    var token: CallToken
    var number: Int
  }

  let connection = ServerConnection(maximumMessageSize: 4096)
  /// The methods of all calls.
  private(set) var methods: [String] = []

  private let service: VarlinkService
  private let parser: JSONParser
  private let outputParser: JSONParser
  private let seed: UInt64
  private var random: SeededRandom
  private var owed: [Owed] = []
  private var answerable = 0
  private var finalReplies = 0
  /// The number of the last answered call.
  private var latest = -1

  init(seed: UInt64, _ service: VarlinkService, _ parser: JSONParser, _ outputParser: JSONParser) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    self.service = service
    self.parser = parser
    self.outputParser = outputParser
  }

  /// Receives bytes and the calls in them, and answers some.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
    connection.receive(bytes)
    try advance()
  }

  /// Receives the end, answers all remaining calls, and checks that the connection is then finished.
  mutating func end() throws {
    connection.receiveEnd()
    try advance()
    while !owed.isEmpty {
      settle()
      try advance()
    }
    hold(connection.isFinished, "a connection that has ended and has no calls is finished")
    hold(!connection.hasPendingCalls, "no call is left")
    hold(connection.bufferedOutputCount == 0, "no output is left")
    hold(finalReplies == answerable, "each of \(answerable) calls has one last reply, not \(finalReplies)")
  }

  private mutating func advance() throws {
    var hasSettled: Bool
    repeat {
      while take() {
        if random.happens(0.5) { settle() }
        if random.happens(0.2) { try send() }
      }
      // The next call may have waited for this one.
      hasSettled = !owed.isEmpty && random.happens(0.3)
      if hasSettled { settle() }
    } while hasSettled
    try send()
  }

  private mutating func take() -> Bool {
    // The closure must not capture a mutable self.
    let number = methods.count
    var method: String?
    var newlyOwed: Owed?
    var isAnswerable = false
    let connection = connection
    let service = service
    var decisions = SeededRandom(seed: seed &+ UInt64(methods.count))
    let wasTaken = connection.nextCall(using: parser) { call throws(VarlinkError) in
      method = call.method.string
      isAnswerable = !call.isOneway
      let (next, isOwed) = try Self.handle(call, number, service, connection, &decisions)
      if isOwed { newlyOwed = Owed(token: call.token, number: number) }
      return next
    }
    if let method {
      methods.append(method)
      if isAnswerable { answerable += 1 }
    } else if wasTaken {
      // The connection itself answers an upgrade.
      methods.append("upgrade")
      answerable += 1
    }
    if let newlyOwed { owed.append(newlyOwed) }
    return wasTaken
  }

  /// - Returns: what happens to the following calls, and whether this call still waits for a reply.
  private static func handle(
    _ call: Call, _ number: Int, _ service: VarlinkService, _ connection: ServerConnection, _ random: inout SeededRandom
  ) throws(VarlinkError) -> (NextCall, Bool) {
    switch random.whole(0...7) {
    case 0:
      connection.reply(call.token) { $0.member("call", number) }
      return (.mayFollow, false)
    case 1:
      // Sends the input back, so that the writer gets any value.
      connection.reply(call.token) { writer in
        writer.member("call", number)
        for member in call.parameterObject.map(Array.init) ?? [] {
          writer.key("echo")
          member.value.write(to: &writer)
          break
        }
      }
      return (.mayFollow, false)
    case 2:
      return (.mayFollow, !call.isOneway)
    case 3:
      return (.waits, true)
    case 4:
      try call.requireMore()
      connection.reply(call.token, continues: true) { $0.member("call", number) }
      return (random.happens(0.5) ? .waits : .mayFollow, true)
    case 5:
      let outcome = connection.reply(call.token, continues: true) { $0.member("call", number) }
      return (.mayFollow, outcome == .continues && !call.isOneway)
    case 6:
      var parameters = call.parameters()
      _ = try parameters.optionalString("client")
      _ = try parameters.optionalInt("after")
      _ = try parameters.optionalDouble("x")
      _ = try parameters.optionalBool("closeOnDisconnect")
      _ = try parameters.optionalStringArray("clients")
      try parameters.finish()
      throw .invalidParameter("after")
    default:
      guard try service.route(call, on: connection) != nil else { return (.mayFollow, false) }
      throw .methodNotImplemented(call.method.string)
    }
  }

  /// Replies to one of the waiting calls, usually with the last reply.
  private mutating func settle() {
    guard !owed.isEmpty else { return }
    let index = random.whole(0...owed.count - 1)
    let call = owed[index]
    if call.token.wantsMore, random.happens(0.4) {
      let outcome = connection.reply(call.token, continues: true) { $0.member("call", call.number) }
      hold(outcome == .continues, "a call for more that has not ended continues")
      return
    }
    owed.remove(at: index)
    let outcome =
      random.happens(0.3)
      ? connection.reply(call.token, error: .permissionDenied)
      : connection.reply(call.token) { $0.member("call", call.number) }
    hold(outcome == .ended, "a waiting call accepts a reply")
    if !call.token.isOneway {
      let again = connection.reply(call.token)
      hold(again == .notAwaited, "a call that has ended accepts no more replies")
    }
  }

  /// Checks and removes whole messages of the output, as a peer would.
  private mutating func send() throws {
    let output = connection.withUnsafeOutput { [UInt8]($0) }
    hold(output.isEmpty || output.last == 0, "output ends with a message")
    for message in output.split(separator: 0) {
      let (number, isLast) = try outputParser.parse(Array(message)) { reply in
        let members = reply.asObject.map(Array.init) ?? []
        hold(members.allSatisfy { ["parameters", "error", "continues"].contains($0.name.string) }, "a reply's members")
        return (reply["parameters"]?["call"]?.asInt64, reply["continues"]?.asBool != true)
      }
      if isLast { finalReplies += 1 }
      if let number {
        hold(Int(number) >= latest, "replies in the order of their calls")
        latest = Int(number)
      }
    }
    connection.consumeOutput(output.count)
  }
}
