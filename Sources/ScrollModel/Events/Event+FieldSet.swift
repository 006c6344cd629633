extension Event {
  /// A set of fields; the raw value has the bits of ``Field``'s raw values, as in the log's presence mask.
  public struct FieldSet: OptionSet, Sendable {
    /// The set's bits.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    @inlinable @inline(__always)
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the set of one field.
    @inlinable @inline(__always)
    public init(_ field: Field) { rawValue = 1 << UInt32(field.rawValue) }

    /// Creates the set of the fields that satisfy a predicate. The result is a constant if the predicate uses only the
    /// table.
    @inlinable @inline(__always)
    public init(where isIncluded: (Field) -> Bool) {
      var bits: UInt32 = 0
      Field.visitAll { if isIncluded($0) { bits |= 1 << UInt32($0.rawValue) } }
      rawValue = bits
    }

    /// All fields.
    @inlinable @inline(__always)
    public static var all: FieldSet { FieldSet { _ in true } }
    /// The fields that hold a number.
    @inlinable @inline(__always)
    public static var numbers: FieldSet { FieldSet { if case .number = $0.valueType { true } else { false } } }
    /// The fields that only a layout has.
    @inlinable @inline(__always)
    public static var layout: FieldSet { FieldSet { $0.declaration.kinds == .layout } }

    /// The field that comes first in order; `nil` for the empty set.
    @inlinable
    public var first: Field? {
      rawValue == 0 ? nil : Field(rawValue: UInt8(truncatingIfNeeded: rawValue.trailingZeroBitCount))
    }

    /// Removes and returns the field that comes first in order; `nil` for the empty set.
    @inlinable
    public mutating func popFirst() -> Field? {
      guard let field = first else { return nil }
      self = FieldSet(rawValue: rawValue & (rawValue &- 1))
      return field
    }
  }

  /// The fields that the event has.
  public var fields: FieldSet { FieldSet(where: has) }

  /// Whether the event has a field.
  @inlinable @inline(__always)
  func has(_ field: Field) -> Bool {
    switch field.valueType {
    case .number: self[number: field] != nil
    case .flag: self[flag: field] != nil
    case .source: source != nil
    }
  }
}

extension Event.Kind {
  /// The fields that events of this kind can have.
  public var allowedFields: Event.FieldSet {
    let kind = Event.KindSet(self)
    return Event.FieldSet { $0.declaration.kinds.contains(kind) }
  }

  /// The fields that events of this kind must have.
  public var requiredFields: Event.FieldSet {
    let kind = Event.KindSet(self)
    return Event.FieldSet { $0.declaration.requiringKinds.contains(kind) }
  }
}
