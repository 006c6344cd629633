// A conversation with a peer that sends anything.

import JSON
import ScrollTesting
import Varlink

/// A server's connection whose calls are answered at random: at once or later, in any order, once or more often, by replies
/// and by errors; and what was sent is looked at.
struct Conversation {
  /// A call that is still owed something.
  private struct Owed {
    var token: CallToken
    var number: Int
  }

  let connection = ServerConnection(maximumMessageSize: 4096)
  /// The methods of all calls that came.
  private(set) var methods: [String] = []

  private let service: VarlinkService
  private let parser: JSONParser
  private let outputParser: JSONParser
  private let seed: UInt64
  private var random: SeededRandom
  private var owed: [Owed] = []
  private var answerable = 0
  private var finalReplies = 0
  /// The number of the call that was answered last.
  private var latest = -1

  init(seed: UInt64, _ service: VarlinkService, _ parser: JSONParser, _ outputParser: JSONParser) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    self.service = service
    self.parser = parser
    self.outputParser = outputParser
  }

  /// Takes bytes, the calls in them, and answers some.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
    connection.receive(bytes)
    try goOn()
  }

  /// Takes the end, answers all that is owed, and checks that the connection is at its end then.
  mutating func end() throws {
    connection.receiveEnd()
    try goOn()
    while !owed.isEmpty {
      settle()
      try goOn()
    }
    hold(connection.isFinished, "a connection that was ended and owes nothing is finished")
    hold(!connection.hasPendingCalls, "no call is left")
    hold(connection.bufferedOutputCount == 0, "no output is left")
    hold(finalReplies == answerable, "each of \(answerable) calls has one last reply, not \(finalReplies)")
  }

  private mutating func goOn() throws {
    var hasSettled: Bool
    repeat {
      while take() {
        if random.happens(0.5) { settle() }
        if random.happens(0.2) { try send() }
      }
      // What is settled may be what the next call waited for.
      hasSettled = !owed.isEmpty && random.happens(0.3)
      if hasSettled { settle() }
    } while hasSettled
    try send()
  }

  private mutating func take() -> Bool {
    // The closure may not keep a mutable self.
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
      // An upgrade is answered by the connection itself.
      methods.append("upgrade")
      answerable += 1
    }
    if let newlyOwed { owed.append(newlyOwed) }
    return wasTaken
  }

  /// - Returns: what of the calls behind, and whether the call is still owed something.
  private static func handle(
    _ call: Call, _ number: Int, _ service: VarlinkService, _ connection: ServerConnection, _ random: inout SeededRandom
  ) throws(VarlinkError) -> (NextCall, Bool) {
    switch random.whole(0...7) {
    case 0:
      connection.reply(call.token) { $0.member("call", number) }
      return (.mayFollow, false)
    case 1:
      // What came in goes out again, so that the writer gets any value.
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

  /// Gives one of the calls that are owed something a reply, mostly the last one.
  private mutating func settle() {
    guard !owed.isEmpty else { return }
    let index = random.whole(0...owed.count - 1)
    let call = owed[index]
    if call.token.wantsMore, random.happens(0.4) {
      let outcome = connection.reply(call.token, continues: true) { $0.member("call", call.number) }
      hold(outcome == .continues, "a call for more that has not ended goes on")
      return
    }
    owed.remove(at: index)
    let outcome =
      random.happens(0.3)
      ? connection.reply(call.token, error: .permissionDenied)
      : connection.reply(call.token) { $0.member("call", call.number) }
    hold(outcome == .ended, "a call that is owed a reply takes it")
    if !call.token.isOneway {
      let again = connection.reply(call.token)
      hold(again == .notAwaited, "a call that has ended takes no more")
    }
  }

  /// Looks at whole messages of the output and takes them away, as a peer would.
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
