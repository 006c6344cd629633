import Foundation
import JSON
import ScrollClient
import ScrollClientTesting
import Testing
import Varlink

@Suite("Refusals")
struct RefusalTests {
  /// An error that an interface declares.
  private struct Declared {
    var name: String
    var parameters: [(name: String, type: String)]

    /// Reads a line such as `error NumberGap (expected: int)`; `nil` for other lines.
    init?(_ line: Substring, of interface: String) {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, parts[0] == "error" else { return nil }
      name = "\(interface).\(parts[1])"
      parameters = parts[2].trimmingCharacters(in: ["(", ")"]).split(separator: ",").map { parameter in
        let words = parameter.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
        return (words[0], words.count > 1 ? words[1] : "")
      }
    }

    /// An example of the error, with values of the right types.
    var example: VarlinkError {
      VarlinkError(name) { writer in
        for parameter in parameters {
          writer.key(string: parameter.name)
          switch (parameter.name, parameter.type) {
          case (_, "int"), (_, "?int"): writer.int(1)
          case ("session", _): writer.string("0123456789abcdef0123456789abcdef")
          case (_, "[]int"):
            writer.beginArray()
            writer.int(1)
            writer.endArray()
          case (_, "[]string"):
            writer.beginArray()
            writer.string("text")
            writer.endArray()
          default: writer.string("text")
          }
        }
      }
    }
  }

  private static let declared: [Declared] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return ["org.scrolld.Recorder", "org.scrolld.Observer", "org.scrolld.Manager"].flatMap { interface in
      let file = root.appendingPathComponent("Sources/ScrollService/Interfaces/\(interface).varlink")
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap { Declared($0, of: interface) }
    }
  }()

  @Test("The library knows every error that an interface declares, and has a message for it")
  func known() throws {
    let errors = Self.declared
    #expect(errors.count > 15)
    let examples = errors.map(\.example)
    let daemon = try FakeDaemon { _, count, _ in .error(examples[count]) }
    let connection = try ServiceConnection(daemon.address)
    for error in errors {
      do {
        _ = try connection.list()
        Issue.record("\(error.name) must be thrown")
      } catch {
        guard let refusal = error.refusal else {
          Issue.record("\(error)")
          continue
        }
        if case .other(let unknown, _) = refusal { Issue.record("\(unknown) is not known") }
        #expect(!refusal.description.isEmpty)
      }
    }
  }
}
