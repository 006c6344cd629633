import JSON
import ScrollTesting
import Varlink

/// A JSON value that tests create, write and compare.
indirect enum Tree: Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsignedInteger(UInt64)
  case double(Double)
  case string(String)
  case object([Member])
  case array([Tree])

  struct Member: Equatable {
    let name: String
    let value: Tree
  }

  init?(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.asBool == true)
    case .integer: self = .integer(value.asInt64 ?? 0)
    case .unsignedInteger: self = .unsignedInteger(value.asUInt64 ?? 0)
    case .double: self = .double(value.asDouble ?? .nan)
    case .numberOutOfRange: return nil
    case .string: self = .string(value.asString ?? "")
    case .object:
      var members: [Member] = []
      for member in value.asObject.map(Array.init) ?? [] {
        guard let tree = Tree(member.value) else { return nil }
        members.append(Member(name: member.name.string, value: tree))
      }
      self = .object(members)
    case .array:
      var elements: [Tree] = []
      for element in value.asArray.map(Array.init) ?? [] {
        guard let tree = Tree(element) else { return nil }
        elements.append(tree)
      }
      self = .array(elements)
    }
  }
}

extension Tree: JSONWritable {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.int(value)
    case .unsignedInteger(let value): writer.unsignedInt(value)
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(string: member.name)
        member.value.write(to: &writer)
      }
      writer.endObject()
    case .array(let elements): elements.write(to: &writer)
    }
  }
}

extension Tree {
  /// Returns a random tree of at most `depth` levels. Each number reads back as its own case, and no string holds a
  /// NUL.
  static func random(depth: Int, using generator: inout SeededRandom) -> Tree {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2:
      return .integer(Int64.random(in: .min ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator))
    case 3: return .unsignedInteger(UInt64.random(in: (1 << 63)...UInt64.max, using: &generator))
    case 4: return .double(randomFraction(using: &generator))
    case 5: return .string(randomString(using: &generator))
    case 6:
      var members: [Member] = []
      for index in 0..<Int.random(in: 0...20, using: &generator) {
        let name = "\(randomString(using: &generator))\(index)"
        members.append(Member(name: name, value: random(depth: depth - 1, using: &generator)))
      }
      return .object(members)
    default:
      return .array(
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
    }
  }

  private static func randomFraction(using generator: inout SeededRandom) -> Double {
    while true {
      let value = Double(bitPattern: generator.next())
      if value.isFinite && value != value.rounded() { return value }
    }
  }

  private static func randomString(using generator: inout SeededRandom) -> String {
    let alphabet: [Character] = [
      "a", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "ä", "€", "😀", "\u{FFFF}",
    ]
    return String(
      (0..<Int.random(in: 0...20, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
  }
}
