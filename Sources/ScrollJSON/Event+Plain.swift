import JSON
import ScrollModel

extension Event {
  /// Reads an event from a plain JSON object that begins with the kind and the time, as programs write it, and checks it.
  ///
  /// Returns `nil` for everything unusual, valid or not, which ``init(json:)`` has to read: it knows what is wrong.
  public init?(plain scanner: inout PlainScanner) {
    guard scanner.skip("{\"kind\":") else { return nil }
    scanner.skipSpaces()
    guard let kind = scanner.text().flatMap({ Kind(name: $0) }), scanner.skip(",") else { return nil }
    scanner.skipSpaces()
    guard scanner.skip("\"time\":") else { return nil }
    scanner.skipSpaces()
    guard let time = scanner.natural() else { return nil }
    self.init(kind, time: time)
    var found = FieldSet(rawValue: 0)
    while scanner.skip(",") {
      scanner.skipSpaces()
      guard let name = scanner.text(), scanner.skip(":") else { return nil }
      scanner.skipSpaces()
      guard let field = read(name, &scanner), found.insert(FieldSet(field)).inserted else { return nil }
    }
    guard scanner.skip("}") else { return nil }
    do throws(EventProblem) { try validate() } catch { return nil }
  }

  /// Reads a field's value.
  ///
  /// - Returns: The field; `nil` for an unknown name or an unusual value.
  @inline(__always)
  private mutating func read(_ name: JSONText, _ scanner: inout PlainScanner) -> Field? {
    guard case .field(let field) = EventNames.shared[name] else { return nil }
    switch field.valueType {
    case .number:
      guard let number = scanner.number() else { return nil }
      self[number: field] = number
    case .flag:
      let flag = scanner.skip("true")
      guard flag || scanner.skip("false") else { return nil }
      self[flag: field] = flag
    case .source:
      guard let source = Source(named: scanner.text()) else { return nil }
      self.source = source
    }
    return field
  }
}
