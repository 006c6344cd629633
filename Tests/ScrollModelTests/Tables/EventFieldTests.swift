import ScrollModel
import ScrollTesting
import Testing

/// The table of fields against everything that has to agree with it.
@Suite("The table of event fields")
struct EventFieldTests {
  @Test("Every stored property of an event other than kind and time is a field")
  func storedProperties() {
    let fields = Event.Field.allCases.map { "\($0.name)" }
    let properties = StoredProperties.texts(of: Event(.scroll, time: 0)).keys
    #expect(Set(properties) == Set(fields + ["kind", "time"]))
    #expect(Set(fields).count == fields.count)
  }

  @Test("The fields' bits follow one another, and the unrolled loop visits every field in their order")
  func order() {
    #expect(Event.Field.allCases.map { Int($0.rawValue) } == Array(0..<Event.Field.allCases.count))
    var visited: [Event.Field] = []
    Event.Field.visitAll { visited.append($0) }
    #expect(visited == Event.Field.allCases)
  }

  @Test("A field is set and read through the table as through its property", arguments: Event.Field.allCases)
  func access(field: Event.Field) throws {
    var event = Event(.layout, time: 0)
    #expect(event.fields == [])
    let before = StoredProperties.texts(of: event)
    event.set(field, variant: 0)
    #expect(event.fields == Event.FieldSet(field))
    let after = StoredProperties.texts(of: event)
    #expect(after.keys.filter { after[$0] != before[$0] } == ["\(field.name)"])
  }

  @Test("A field belongs to a kind, and no kind requires a field that it can't have")
  func kinds() {
    for field in Event.Field.allCases { #expect(!field.declaration.kinds.isEmpty, "\(field.name)") }
    for kind in Event.Kind.allCases { #expect(kind.allowedFields.isSuperset(of: kind.requiredFields), "\(kind.name)") }
  }

  @Test("An event is valid exactly with the fields that its kind can have and needs", arguments: Event.Kind.allCases)
  func validation(kind: Event.Kind) throws {
    var complete = Event(kind, time: 1)
    for field in Event.Field.allCases where kind.requiredFields.contains(Event.FieldSet(field)) {
      complete.set(field, variant: 0)
    }
    try complete.validate()
    for field in Event.Field.allCases {
      var other = complete
      let expected: String?
      if kind.requiredFields.contains(Event.FieldSet(field)) {
        other.remove(field)
        expected = "is missing: a \(kind.name) needs it"
      } else {
        other.set(field, variant: 0)
        let isAllowed = kind.allowedFields.contains(Event.FieldSet(field))
        expected = isAllowed ? nil : "does not belong to a \(kind.name)"
      }
      #expect(problem(of: other) == expected.map { EventProblem(field: "\(field.name)", reason: $0) })
    }
  }

  @Test("A number is refused outside the bounds of what it measures", arguments: Event.Field.allCases)
  func bounds(field: Event.Field) throws {
    guard case .number(let quantity) = field.valueType else { return }
    let kind = try #require(Event.Kind.allCases.first { $0.allowedFields.contains(Event.FieldSet(field)) })
    var event = Event(kind, time: 1)
    for field in Event.Field.allCases where kind.requiredFields.contains(Event.FieldSet(field)) {
      event.set(field, variant: 0)
    }
    let refused: [Double] =
      switch quantity {
      case .length: [.nan, .infinity, -.infinity]
      case .size: [.nan, .infinity, -.leastNonzeroMagnitude]
      case .spacing, .scale: [.nan, .infinity, 0, -1]
      }
    let accepted: [Double] =
      switch quantity {
      case .length: [0, -1, .greatestFiniteMagnitude]
      case .size: [0, .greatestFiniteMagnitude]
      case .spacing, .scale: [.leastNonzeroMagnitude, 1]
      }
    for number in refused {
      event[number: field] = number
      #expect(problem(of: event)?.field == "\(field.name)", "\(number)")
    }
    for number in accepted {
      event[number: field] = number
      #expect(problem(of: event) == nil, "\(number)")
    }
  }

  @Test("The geometry takes over every field of a layout")
  func geometry() {
    for field in Event.Field.allCases where Event.Kind.layout.allowedFields.contains(Event.FieldSet(field)) {
      var event = Event(.layout, time: 0)
      event.set(field, variant: 0)
      var geometry = Geometry()
      let before = StoredProperties.texts(of: geometry)
      geometry.update(with: event)
      let after = StoredProperties.texts(of: geometry)
      #expect(after.keys.filter { after[$0] != before[$0] } == ["\(field.name)"])
    }
  }

  private func problem(of event: Event) -> EventProblem? {
    do throws(EventProblem) {
      try event.validate()
      return nil
    } catch {
      return error
    }
  }
}
