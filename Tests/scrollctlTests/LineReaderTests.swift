import Foundation
import Testing

@testable import scrollctl

@Suite("Lines")
struct LineReaderTests {
  private func lines(_ text: String) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    let reader = try LineReader(file.path)
    var lines: [String] = []
    while let line = try reader.next({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
    // Reading past the end returns nothing again.
    #expect(try reader.next { _ in true } == nil)
    return lines
  }

  @Test("Lines may be empty, and the last one may lack its newline")
  func ends() throws {
    #expect(try lines("") == [])
    #expect(try lines("a") == ["a"])
    #expect(try lines("a\n") == ["a"])
    #expect(try lines("\n\na\n\n") == ["", "", "a", ""])
  }

  @Test("Lines may cross the boundaries of reads", arguments: [65_534, 65_535, 65_536, 65_537])
  func pieces(length: Int) throws {
    let long = String(repeating: "x", count: length)
    #expect(try lines("\(long)\nb\n\(long)") == [long, "b", long])
  }

  @Test("A file without lines is rejected early")
  func tooLong() {
    #expect(throws: Failure.self) { try lines(String(repeating: "x", count: LineReader.maximumLineLength + 70_000)) }
  }
}
