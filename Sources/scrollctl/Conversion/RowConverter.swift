import ScrollModel

/// Makes events of rows that have a time and an offset, or whole events.
struct RowConverter {
  /// A row: the values of the columns that have a role. Columns with an empty value are left out.
  typealias Row = [ColumnRole: Cell]

  let conversion: Conversion

  /// Adds a row, or keeps what is wrong with it.
  func add(_ row: Row, line: Int) {
    do throws(EventProblem) {
      try convert(row)
    } catch {
      conversion.refuse(line: line, error.description)
    }
  }

  private func convert(_ row: Row) throws(EventProblem) {
    guard let cell = row[.time] else { throw EventProblem(field: "time", reason: "is missing: each line needs it") }
    let time = try conversion.settings.time.microseconds(cell)
    let values = try FieldValues(row)
    let session = try conversion.session(identity(row), at: time)
    if let kind = row[.kind] {
      try session.add(values.event(Self.kind(kind), time: time))
      return
    }
    let sizes = conversion.settings.sizes.merging(values.sizes) { $1 }
    guard values.y != nil || values.x != nil || !values.sizes.isEmpty else {
      throw EventProblem(field: "y", reason: "is missing: each line needs it, or a size")
    }
    try session.layOut(sizes, at: time)
    guard values.y != nil || values.x != nil else { return }
    try session.sample(
      x: values.x, y: values.y, translationX: values.numbers[.translationX],
      translationY: values.numbers[.translationY],
      source: values.source, at: time)
  }

  private func identity(_ row: Row) -> ConvertedSession.Identity {
    var identity = conversion.identity
    if let client = row[.client]?.text { identity.client = client }
    if let session = row[.session]?.text { identity.client += "/" + session }
    identity.application = row[.application]?.text ?? identity.application
    identity.title = row[.title]?.text ?? identity.title
    return identity
  }

  private static func kind(_ cell: Cell) throws(EventProblem) -> Event.Kind {
    if let kind = Event.Kind.allCases.first(where: { "\($0.name)" == cell.text }) { return kind }
    let names = Event.Kind.allCases.map { "\($0.name)" }.joined(separator: ", ")
    throw EventProblem(field: "kind", reason: "is \(cell.description): it must be one of \(names)")
  }
}

/// The values of a row's event fields.
private struct FieldValues {
  var numbers: [Event.Field: Double] = [:]
  var flags: [Event.Field: Bool] = [:]
  var source: Event.Source?

  init(_ row: RowConverter.Row) throws(EventProblem) {
    for (role, cell) in row {
      guard case .field(let field) = role else { continue }
      switch field.valueType {
      case .number:
        guard let number = cell.number, number.isFinite else {
          throw EventProblem(field: role.name, reason: "is \(cell.description): it must be a number\(cell.commaHint)")
        }
        numbers[field] = number
      case .flag:
        guard let flag = ["true": true, "1": true, "false": false, "0": false][cell.text.lowercased()] else {
          throw EventProblem(field: role.name, reason: "is \(cell.description): it must be true or false")
        }
        flags[field] = flag
      case .source:
        guard let source = Event.Source.allCases.first(where: { "\($0.name)" == cell.text }) else {
          throw EventProblem(field: role.name, reason: "is \(cell.description): it must be user, program or layout")
        }
        self.source = source
      }
    }
  }

  var x: Double? { numbers[.x] }
  var y: Double? { numbers[.y] }

  /// The values that only a layout has.
  var sizes: [Event.Field: Double] {
    numbers.filter { Event.FieldSet.layout.contains(Event.FieldSet($0.key)) }
  }

  func event(_ kind: Event.Kind, time: Int64) -> Event {
    var event = Event(kind, time: time)
    // A table has a value in each column of each row: what the kind does not have is left out.
    let allowed = kind.allowedFields
    for (field, value) in numbers where allowed.contains(Event.FieldSet(field)) { event[number: field] = value }
    for (field, value) in flags where allowed.contains(Event.FieldSet(field)) { event[flag: field] = value }
    if allowed.contains(Event.FieldSet(.source)) { event.source = source }
    if kind.requiredFields.contains(Event.FieldSet(.x)), event.x == nil { event.x = 0 }
    return event
  }
}
