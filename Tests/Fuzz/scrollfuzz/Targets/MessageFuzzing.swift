// The server's side of a connection, fed with anything.

import JSON
import ScrollTesting
import Varlink

/// Feeds a server's connection with anything, whole and in pieces, and answers whatever it takes for calls in any order.
enum MessageFuzzing: Fuzzing {
  // Made once, so that an input costs what it costs a daemon. Unsafe, but there is one thread.
  private nonisolated(unsafe) static let parser = JSONParser()
  private nonisolated(unsafe) static let outputParser = JSONParser()
  private static let service = Result {
    try VarlinkService(vendor: "v", product: "p", version: "1", url: "u", interfaces: [])
  }

  static func check(_ input: UnsafeRawBufferPointer) throws {
    var source = ByteSource(input)
    let seed: UInt64 = source.number()
    let service = try service.get()
    var whole = Conversation(seed: seed, service, parser, outputParser)
    try whole.receive(source.rest)
    try whole.end()
    var inPieces = Conversation(seed: seed, service, parser, outputParser)
    var random = SeededRandom(seed: ~seed)
    while !source.isEmpty { try inPieces.receive(source.bytes(random.whole(1...40))) }
    try inPieces.end()
    hold(whole.methods == inPieces.methods, "the same calls however the bytes come")
    hold(
      whole.connection.violation == inPieces.connection.violation,
      "the same violation however the bytes come: \(String(describing: whole.connection.violation)), then"
        + " \(String(describing: inPieces.connection.violation))")
  }
}
