import ScrollModel
import Testing
import Varlink

@testable import ScrollService

/// The types of the interface texts against the tables of the model.
@Suite struct InterfaceFieldTests {
  private func fields(of type: String, in interface: String) throws -> [InterfaceField] {
    let text = try #require(ServiceInterfaces.texts.first { $0.contains("interface \(interface)\n") })
    guard case .structure(let fields) = try InterfaceDescription(text).type(type)?.type else { return [] }
    return fields
  }

  private static let sources = Event.Source.allCases.map { "\($0.name)" }
  private static let kinds = Event.Kind.allCases.map { "\($0.name)" }

  private static let eventFields = Event.Field.allCases.map { field in
    let type: InterfaceType =
      switch field.valueType {
      case .number: .float
      case .flag: .bool
      case .source: .enumeration(sources)
      }
    return InterfaceField(name: "\(field.name)", type: .optional(type))
  }

  private static let stateFields = FoldState.Field.allCases.map { field in
    let type: InterfaceType =
      switch field.declaration.valueType {
      case .integer: .int
      case .number: .float
      case .flag: .bool
      case .toolbar: .enumeration(Toolbar.allCases.map { "\($0.name)" })
      case .trigger: .enumeration(Trigger.allCases.map { "\($0.name)" })
      }
    return InterfaceField(name: "\(field.name)", type: field.declaration.isOptional ? .optional(type) : type)
  }

  @Test("The recorder's Event has the kinds and fields of the model's table")
  func event() throws {
    let fields = try fields(of: "Event", in: "org.scrolld.Recorder")
    #expect(fields.first == InterfaceField(name: "kind", type: .enumeration(Self.kinds)))
    #expect(fields.dropFirst().first == InterfaceField(name: "time", type: .int))
    #expect(fields.count == 2 + Self.eventFields.count)
    for field in Self.eventFields { #expect(fields.contains(field), "\(field.name)") }
  }

  @Test("Record has the fields of every event", arguments: ["org.scrolld.Observer", "org.scrolld.Relay"])
  func record(interface: String) throws {
    let fields = try fields(of: "Record", in: interface)
    for field in Self.eventFields { #expect(fields.contains(field), "\(field.name)") }
  }

  @Test("The comment above Event lists the fields of each kind that aren't layout's own")
  func comment() throws {
    let text = try #require(ServiceInterfaces.texts.first { $0.contains("interface org.scrolld.Recorder\n") })
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("#   ") }
    for kind in Event.Kind.allCases where kind != .layout {
      let line = lines.first { line in
        line.dropFirst(4).prefix(21).split { !$0.isLetter }.contains { $0 == "\(kind.name)" }
      }
      let words = Set((line ?? "").dropFirst(25).split { !$0.isLetter }.map(String.init))
      let fields = Event.Field.allCases.filter { kind.allowedFields.contains(Event.FieldSet($0)) }
      #expect(words.isSuperset(of: fields.map { "\($0.name)" }), "\(kind.name)")
    }
  }

  @Test("The observer's State and Transition have the fields of the model's table, in its order")
  func state() throws {
    let identity = ["client", "user", "session", "position"]
    let state = try fields(of: "State", in: "org.scrolld.Observer")
    #expect(state.prefix(4).map(\.name) == identity)
    #expect(Array(state.dropFirst(4).dropLast()) == Self.stateFields)
    #expect(state.last == InterfaceField(name: "policy", type: .string))
    let transition = try fields(of: "Transition", in: "org.scrolld.Observer")
    #expect(Array(transition.prefix(state.count)) == state)
    #expect(transition.dropFirst(state.count).map(\.name) == ["changed", "reason"])
  }
}
