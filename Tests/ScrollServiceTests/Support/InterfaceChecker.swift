import JSON
import Varlink

@testable import ScrollService

/// Checks values against the types that the interface texts declare.
///
/// Tests check every reply that they get. So the texts are parsed once, and a place is spelled out only for a problem.
struct InterfaceChecker {
  /// What an interface declares, by names without the interface.
  private struct Declarations: Sendable {
    let name: String
    let replies: [String: [InterfaceField]]
    let errors: [String: [InterfaceField]]
    let types: [String: InterfaceType]

    init(_ interface: InterfaceDescription) {
      name = interface.name
      replies = Dictionary(uniqueKeysWithValues: interface.methods.map { ($0.name, $0.replyParameters) })
      errors = Dictionary(uniqueKeysWithValues: interface.errors.map { ($0.name, $0.parameters) })
      types = Dictionary(uniqueKeysWithValues: interface.types.map { ($0.name, $0.type) })
    }
  }

  private static let parsed = Result { try ServiceInterfaces.texts.map { Declarations(try InterfaceDescription($0)) } }

  private let interfaces: [Declarations]

  init() throws { interfaces = try Self.parsed.get() }

  /// The full name of a method.
  func wholeName(ofMethod name: String) -> String {
    let interface = interfaces.first { $0.replies[name] != nil }
    return interface.map { "\($0.name).\(name)" } ?? name
  }

  /// The problems of a reply to a method; none if it is as declared.
  func problems(with reply: JSONTree, to method: String) -> [String] {
    guard let (interface, name) = split(method), let fields = interface.replies[name] else { return [] }
    return problems(with: reply, fields: fields, interface, at: name)
  }

  /// The problems of an error; none if it is as declared.
  func problems(withError error: String, _ parameters: JSONTree) -> [String] {
    // The latter belongs to no interface, since the daemon does not know which one was called.
    if error.hasPrefix("org.varlink.service.") || error == "org.scrolld.MessageTooLarge" { return [] }
    guard let (interface, name) = split(error), let fields = interface.errors[name] else {
      return ["the error \(error) is not declared"]
    }
    return problems(with: parameters, fields: fields, interface, at: name)
  }

  private func split(_ name: String) -> (Declarations, String)? {
    guard let dot = name.lastIndex(of: "."), let interface = interfaces.first(where: { $0.name == name[..<dot] })
    else { return nil }
    return (interface, String(name[name.index(after: dot)...]))
  }

  private func problems(
    with value: JSONTree, fields: [InterfaceField], _ interface: Declarations, at place: @autoclosure () -> String
  ) -> [String] {
    guard case .object(let members) = value else { return ["\(place()) is no object: \(value)"] }
    var problems: [String] = []
    for name in members.keys where !fields.contains(where: { $0.name == name }) {
      problems.append("\(place()).\(name) is not declared")
    }
    for field in fields {
      problems += self.problems(
        with: members[field.name] ?? .null, field.type, interface, at: "\(place()).\(field.name)")
    }
    return problems
  }

  private func problems(
    with value: JSONTree, _ type: InterfaceType, _ interface: Declarations, at place: @autoclosure () -> String
  ) -> [String] {
    switch (type, value) {
    case (.bool, .bool), (.int, .int), (.float, .int), (.float, .double), (.string, .string), (.object, .object),
      (.any, _), (.optional, .null):
      return []
    case (.optional(let type), _):
      return problems(with: value, type, interface, at: place())
    case (.array(let type), .array(let elements)):
      return elements.flatMap { problems(with: $0, type, interface, at: place() + "[]") }
    case (.map(let type), .object(let members)):
      return members.flatMap { problems(with: $1, type, interface, at: place() + "[\($0)]") }
    case (.structure(let fields), .object):
      return problems(with: value, fields: fields, interface, at: place())
    case (.enumeration(let names), .string(let name)):
      return names.contains(name) ? [] : ["\(place()) is “\(name)”, which is not in \(names)"]
    case (.named(let name), _):
      guard let declared = interface.types[name] else { return ["\(place()): the type \(name) is not declared"] }
      return problems(with: value, declared, interface, at: place())
    default:
      return ["\(place()) is \(value), not \(type)"]
    }
  }
}
