import JSON
import ScrollTesting
import Varlink

/// Any bytes, received by a server's connection at once and in pieces. Calls are answered in any order.
enum MessageFuzzing: Fuzzing {
  // Created once, as in a daemon. Unsafe, but there is only one thread.
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
    hold(whole.methods == inPieces.methods, "the same calls whether the bytes come at once or in pieces")
    hold(
      whole.connection.violation == inPieces.connection.violation,
      "the same violation whether the bytes come at once or in pieces: \(String(describing: whole.connection.violation)), then"
        + " \(String(describing: inPieces.connection.violation))")
  }
}
