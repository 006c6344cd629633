import Foundation
import ScrollModel
import ScrollTesting
import Testing

@Suite("The documentation of fields")
struct FieldDocumentationTests {
  @Test("The page about recordings lists each kind with the fields that it can have, and in bold those that it needs")
  func recordings() throws {
    let page = try ProjectFile.text("Sources/ScrollJSON/ScrollJSON.docc/Recordings.md")
    var documented: Set<String> = []
    for line in page.components(separatedBy: "\n") where line.hasPrefix("| `") {
      let columns = line.components(separatedBy: " | ")
      let kinds = Event.Kind.allCases.filter { Self.words(in: columns[0]).contains("\($0.name)") }
      guard columns.count == 3, !kinds.isEmpty else { continue }
      let fields = columns[2]
      let required = fields.components(separatedBy: "**").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      for kind in kinds {
        documented.insert("\(kind.name)")
        #expect(Self.words(in: fields) == Self.names(kind.allowedFields), "\(kind.name)")
        #expect(Self.words(in: required.joined()) == Self.names(kind.requiredFields), "\(kind.name)")
      }
    }
    #expect(documented == Set(Event.Kind.allCases.map { "\($0.name)" }))
  }

  @Test("The page about the log's format gives each field's bit and each kind's number")
  func format() throws {
    let page = try ProjectFile.text("Sources/ScrollLog/ScrollLog.docc/Format.md")
    for field in Event.Field.allCases { #expect(page.contains("\(field.rawValue) `\(field.name)`"), "\(field.name)") }
    for kind in Event.Kind.allCases { #expect(page.contains("\(kind.rawValue) `\(kind.name)`"), "\(kind.name)") }
  }

  @Test("The page about the log's format has each field of a state that a checkpoint holds")
  func checkpoint() throws {
    let page = try ProjectFile.text("Sources/ScrollLog/ScrollLog.docc/Format.md")
    let words = Set(page.split { !$0.isLetter }.map(String.init))
    for field in FoldState.Field.allCases { #expect(words.contains("\(field.name)"), "\(field.name)") }
    for path in StoredProperties.texts(of: FoldState()).keys where path.hasPrefix("geometry.") {
      #expect(words.contains(String(path.dropFirst("geometry.".count))), "\(path)")
    }
  }

  /// The words within backquotes.
  private static func words(in text: String) -> Set<String> {
    let quoted = text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    return Set(quoted.flatMap { $0.split(separator: " ").map(String.init) })
  }

  private static func names(_ fields: Event.FieldSet) -> Set<String> {
    Set(Event.Field.allCases.filter { fields.contains(Event.FieldSet($0)) }.map { "\($0.name)" })
  }
}
