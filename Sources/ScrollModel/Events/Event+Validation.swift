extension Event {
  /// The latest time that an event can have. Beyond it a double can no longer distinguish two microseconds.
  public static let latestTime: Int64 = 1 << 53

  /// Checks an event that comes from outside.
  ///
  /// - Throws: ``EventProblem`` for a time before 1970 or after 2^53, a field that is missing or that the kind doesn't
  ///   have, a number that is not finite, a negative size, or a zoom scale ≤ 0.
  public func validate() throws(EventProblem) {
    var fields = FieldSet(rawValue: 0)
    var areNumbersValid = true
    // One pass, in which the optimiser makes code for each field.
    Field.visitAll { field in
      guard has(field) else { return }
      fields.formUnion(FieldSet(field))
      guard case .number(let quantity) = field.valueType, let value = self[number: field] else { return }
      areNumbersValid = areNumbersValid && quantity.contains(value)
    }
    let isValid =
      time >= 0 && time <= Self.latestTime && areNumbersValid && kind.requiredFields.isSubset(of: fields)
      && fields.isSubset(of: kind.allowedFields)
    if !isValid { throw problem(fields) }
  }

  /// The first problem of an event that has one.
  private func problem(_ fields: FieldSet) -> EventProblem {
    if time < 0 || time > Self.latestTime {
      return EventProblem(
        field: "time", reason: "is \(time): it must lie between 0 and 2^53 microseconds since 1970")
    }
    if let missing = kind.requiredFields.subtracting(fields).first {
      return EventProblem(field: "\(missing.name)", reason: "is missing: a \(kind.name) needs it")
    }
    if let foreign = fields.subtracting(kind.allowedFields).first {
      return EventProblem(field: "\(foreign.name)", reason: "does not belong to a \(kind.name)")
    }
    var rest = fields
    while let field = rest.popFirst() {
      guard case .number(let quantity) = field.valueType, let value = self[number: field], !quantity.contains(value)
      else { continue }
      return EventProblem(field: "\(field.name)", reason: quantity.problem(with: value))
    }
    preconditionFailure("a valid event")
  }
}

extension Event.Field.Quantity {
  /// Whether a number is within the bounds.
  @inline(__always)
  fileprivate func contains(_ value: Double) -> Bool {
    switch self {
    case .length: value.isFinite
    case .size: value.isFinite && value >= 0
    case .spacing, .scale: value.isFinite && value > 0
    }
  }

  /// What is wrong with a number that is not within the bounds.
  fileprivate func problem(with value: Double) -> String {
    if !value.isFinite { return "is \(value): it must be a finite number" }
    return switch self {
    case .length: "is \(shortest(value)): it must be a finite number"
    case .size: "is \(shortest(value)): a size must be 0 or more"
    case .spacing: "is \(shortest(value)): it must be more than 0"
    case .scale: "is \(shortest(value)): a zoom scale must be more than 0"
    }
  }
}
