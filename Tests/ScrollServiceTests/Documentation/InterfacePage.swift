import ScrollTesting

/// The part of org.scrolld(7) that is generated from the interface texts: each type, method and error, with its comment.
enum InterfacePage {
  /// The lines of the part.
  static func lines(of texts: [String]) -> [String] {
    texts.flatMap { text -> [String] in
      // Empty lines separate blocks of a comment and what it documents.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.split(separator: "").flatMap { block(Array($0)) }
    }
  }

  private static func block(_ lines: [Substring]) -> [String] {
    let comment = lines.prefix { $0.hasPrefix("#") }.map { $0.dropFirst() }
    let declaration = lines.dropFirst(comment.count)
    let words = (declaration.first ?? "").split { " (".contains($0) }
    guard let kind = words.first, let name = words.dropFirst().first else { return described(comment) }
    if kind == "interface" { return [".SH \"INTERFACE \(ManualText.escaped(name))\""] + described(comment) }
    return [".SS \"\(kind) \(ManualText.escaped(name))\""] + described(comment) + literal(Array(declaration))
  }

  /// A comment as running text, with indented lines unchanged.
  private static func described(_ comment: [Substring]) -> [String] {
    var result: [String] = []
    var rest = comment[...]
    while let first = rest.first {
      let isIndented = first.hasPrefix("  ")
      let run = rest.prefix { $0.hasPrefix("  ") == isIndented }
      rest = rest.dropFirst(run.count)
      if isIndented {
        result += literal(run.map { $0.drop { $0 == " " } })
      } else {
        if !result.isEmpty { result.append(".PP") }
        result += ManualText.paragraph(run.joined(separator: " "))
      }
    }
    return result
  }

  private static func literal(_ lines: [Substring]) -> [String] {
    [".PP", ".in +4n", ".EX"] + lines.map { ManualText.literal($0) } + [".EE", ".in"]
  }
}
