import Foundation
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct DocumentationTests {
  /// A key as a page or a file documents it.
  private struct Documented: Equatable {
    var section: String
    var key: String
    /// The default as it is written; `nil` for one that is described in words.
    var standard: String?
  }

  /// The keys in scrolld.conf(5), in order.
  private func manual() throws -> [Documented] {
    var keys: [Documented] = []
    var section = ""
    let lines = try MadeFile("man/scrolld.conf.5").text.components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      if line.hasPrefix(".SH ") {
        section = String(line.dropFirst(4).prefix { $0 != "]" }.filter { $0 != "\"" && $0 != "[" }).lowercased()
      } else if line == ".TP", lines[index + 1].hasSuffix("=") {
        keys.append(Documented(section: section, key: String(lines[index + 1].dropFirst(".I ".count).dropLast())))
      } else if line == "Defaults to", let last = keys.indices.last {
        let word = lines[index + 1].dropFirst(".BR ".count).prefix { $0 != " " }
        keys[last].standard = word.replacingOccurrences(of: "\\-", with: "-")
      }
    }
    return keys
  }

  /// The keys in config/scrolld.conf, in order, each with its default.
  private func example() throws -> [Documented] {
    var keys: [Documented] = []
    var section = ""
    for line in try MadeFile("../config/scrolld.conf").text.components(separatedBy: "\n") {
      if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()).lowercased() }
      // A sentence has a space after its #.
      guard line.hasPrefix("#"), line.dropFirst().first?.isLetter == true, let sign = line.firstIndex(of: "=") else {
        continue
      }
      let value = String(line[line.index(after: sign)...])
      keys.append(Documented(section: section, key: String(line[..<sign].dropFirst()), standard: value))
    }
    return keys
  }

  private static let known = Configuration.keys.map { "\($0.section.lowercased()) \($0.name)" }

  /// The keys whose defaults can't be written as a value.
  private static let withoutValue = [
    "MaxUse", "KeepFree", "Feeders", "Managers", "Relays", "BufferMax", "BufferPerUserMax",
  ]

  @Test func theManualAndTheExampleHaveEachKeyOnceAndInOneOrder() throws {
    #expect(try manual().filter { $0.section != "policy name" }.map { "\($0.section) \($0.key)" } == Self.known)
    let example = try example().prefix(Self.known.count)
    #expect(example.map { "\($0.section) \($0.key)" } == Self.known)
  }

  @Test(arguments: Configuration.keys.indices)
  func theDocumentedDefaultsAreTheDefaults(index: Int) throws {
    let key = Configuration.keys[index]
    for documented in [try manual()[index], try example()[index]] {
      guard let standard = documented.standard, !standard.isEmpty else {
        // This default can't be written as a value.
        #expect(Self.withoutValue.contains(key.name), "\(key.name)=")
        continue
      }
      var configuration = Configuration()
      #expect(key.set(&configuration, standard, SettingPlace(file: "", line: 1)), "\(key.name)=\(standard)")
      #expect(configuration == Configuration(), "\(key.name)=\(standard)")
    }
  }

  @Test func theManualHasEachParameterOfEachRuleWithItsDefault() throws {
    let documented = try manual().filter { $0.section == "policy name" && $0.key != "Rule" && $0.key != "Clients" }
    let safari = try Policy(name: "a", ruleNamed: "safari").parameters
    #expect(
      documented.map { "\($0.key)=\($0.standard ?? "")" }
        == safari.map { "\($0.name.prefix(1).uppercased())\($0.name.dropFirst())=\($0.value)" })
    // The other rule's only parameter is documented with the one of the same name.
    #expect(try Policy(name: "a", ruleNamed: "classic").parameters == safari.filter { $0.name == "topButtonDistance" })
  }

  @Test func theManualHasTheInterfacesOfTheDaemon() throws {
    try MadeFile("man/org.scrolld.7").expect(InterfacePage.lines(of: ServiceInterfaces.texts), asPart: "Interfaces")
  }

  @Test func aCommentBecomesTextAndIndentedLinesStay() {
    let text = "# About\n# it:\n#   a    b\n#   .c\n# More.\nmethod Get(a: int) -> ()\n"
    #expect(
      InterfacePage.lines(of: [text]) == [
        ".SS \"method Get\"", "About it:", ".PP", ".in +4n", ".EX", "a    b", "\\&.c", ".EE", ".in", ".PP", "More.",
        ".PP", ".in +4n", ".EX", "method Get(a: int) \\-> ()", ".EE", ".in",
      ])
  }
}
