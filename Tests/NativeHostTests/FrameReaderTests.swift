import JSON
import Testing

@testable import NativeHost

@Suite("Native messaging frames")
struct FrameReaderTests {
  private let parser = JSONParser()

  /// Reads all numbers `n` of the messages in pieces of bytes.
  private func numbers(_ pieces: [[UInt8]]) throws(FrameError) -> [Int64] {
    var reader = FrameReader()
    var found: [Int64] = []
    for piece in pieces {
      piece.withUnsafeBytes { reader.receive($0) }
      while let number = try reader.nextMessage(using: parser, { $0["n"]?.asInt64 ?? -1 }) { found.append(number) }
    }
    try reader.checkEnd()
    return found
  }

  private let two = BridgedWorld.frame(#"{"n":1}"#) + BridgedWorld.frame(#"{"n":22}"#)

  @Test("Messages split at every byte are read alike")
  func splits() throws {
    for cut in 0...two.count { #expect(try numbers([Array(two[..<cut]), Array(two[cut...])]) == [1, 22]) }
    #expect(try numbers(two.map { [$0] }) == [1, 22])
  }

  @Test("A message that ends too early is an error, wherever it ends")
  func cutOff() throws {
    let length = BridgedWorld.frame(#"{"n":1}"#).count
    for cut in 1..<length {
      #expect(throws: FrameError.cutOff(received: cut)) { try numbers([Array(two[..<cut])]) }
    }
    #expect(try numbers([]) == [])
  }

  @Test("An empty message is an error")
  func empty() { #expect(throws: FrameError.empty) { try numbers([[0, 0, 0, 0]]) } }

  @Test("A length over the limit is an error before its text arrives, and the limit itself is not")
  func tooLong() throws {
    let limit = FrameReader.maximumLength
    let header = withUnsafeBytes(of: UInt32(limit + 1)) { Array($0) }
    #expect(throws: FrameError.tooLong(limit + 1)) { try numbers([header]) }
    let start = #"{"n":1,"s":""#
    let text = start + String(repeating: "x", count: limit - start.utf8.count - 2) + #""}"#
    #expect(try numbers([BridgedWorld.frame(text)]) == [1])
  }

  @Test("A text that is not JSON is an error that says where", arguments: ["{", "nul", "{\"n\":1}x", "\u{0}"])
  func notJSON(_ text: String) throws {
    do throws(FrameError) {
      _ = try numbers([BridgedWorld.frame(text)])
      Issue.record("nothing is thrown")
    } catch {
      guard case .notJSON = error else { throw error }
      #expect(error.description.hasPrefix("a message from the browser is not JSON: "))
    }
  }
}
