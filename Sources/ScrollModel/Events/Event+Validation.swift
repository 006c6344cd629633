// What makes an event acceptable.

extension Event {
  /// The latest time that an event can have: beyond it a double no longer tells microseconds apart.
  public static let latestTime: Int64 = 1 << 53

  /// Checks the event as one that comes from outside.
  ///
  /// - Throws: ``EventProblem`` for a time before 1970 or past 2^53, a field that is missing or that the kind doesn't
  ///   have, a number that is not finite, a negative size, or a zoom scale ≤ 0.
  public func validate() throws(EventProblem) {
    if time < 0 || time > Self.latestTime {
      throw EventProblem(
        field: "time", reason: "is \(time): it must lie between 0 and 2^53 microseconds since 1970")
    }
    var rest = fields
    if let missing = kind.requiredFields.subtracting(rest).first {
      throw EventProblem(field: "\(missing.name)", reason: "is missing: a \(kind.name) needs it")
    }
    if let foreign = rest.subtracting(kind.allowedFields).first {
      throw EventProblem(field: "\(foreign.name)", reason: "does not belong to a \(kind.name)")
    }
    while let field = rest.first {
      if let value = self[number: field] { try Self.validate(value, of: field) }
      rest.subtract(FieldSet(field))
    }
  }

  private static func validate(_ value: Double, of field: Field) throws(EventProblem) {
    if !value.isFinite {
      throw EventProblem(field: "\(field.name)", reason: "is \(value): it must be a finite number")
    }
    switch field {
    case .contentWidth, .contentHeight, .frameWidth, .frameHeight:
      if value < 0 {
        throw EventProblem(field: "\(field.name)", reason: "is \(shortest(value)): a size must be 0 or more")
      }
    case .zoomScale, .minimumZoomScale, .maximumZoomScale:
      if value <= 0 {
        throw EventProblem(field: "\(field.name)", reason: "is \(shortest(value)): a zoom scale must be more than 0")
      }
    default:
      break
    }
  }
}
