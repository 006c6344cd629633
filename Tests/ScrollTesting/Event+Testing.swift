import ScrollModel

extension Event {
  /// Sets a field to one of two valid values. Neither equals a value that a state begins with.
  public mutating func set(_ field: Field, variant: Int) {
    switch field.valueType {
    case .number: self[number: field] = 12.5 + Double(field.rawValue) + 64 * Double(variant)
    case .flag: self[flag: field] = variant == 0
    case .source: source = variant == 0 ? .program : .layout
    }
  }

  /// Removes a field.
  public mutating func remove(_ field: Field) {
    switch field.valueType {
    case .number: self[number: field] = nil
    case .flag: self[flag: field] = nil
    case .source: source = nil
    }
  }
}
