// Sets of fields: which an event has, which its kind may have, which it must have.

extension Event {
  /// A set of fields; the raw value has the bits of ``Field``'s raw values, as the log's presence mask has.
  public struct FieldSet: OptionSet, Sendable {
    /// The set's bits.
    public let rawValue: UInt32

    /// A set of bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The set of one field.
    public init(_ field: Field) { rawValue = 1 << UInt32(field.rawValue) }

    /// The content offset.
    public static let offset: FieldSet = [FieldSet(.x), FieldSet(.y)]
    /// The pan's translation.
    public static let translation: FieldSet = [FieldSet(.translationX), FieldSet(.translationY)]
    /// What only a layout has: sizes, insets, zoom limits and direction.
    public static let layout = FieldSet(rawValue: 0b1_0111_1111_1110_0000)

    /// The field that comes first in the order of encoding; `nil` for the empty set.
    public var first: Field? {
      rawValue == 0 ? nil : Field(rawValue: UInt8(rawValue.trailingZeroBitCount))
    }
  }

  /// The fields that the event has.
  public var fields: FieldSet {
    var bits: UInt32 = 0
    if x != nil { bits |= 1 << 0 }
    if y != nil { bits |= 1 << 1 }
    if translationX != nil { bits |= 1 << 2 }
    if translationY != nil { bits |= 1 << 3 }
    if zoomScale != nil { bits |= 1 << 4 }
    if contentWidth != nil { bits |= 1 << 5 }
    if contentHeight != nil { bits |= 1 << 6 }
    if frameWidth != nil { bits |= 1 << 7 }
    if frameHeight != nil { bits |= 1 << 8 }
    if insetTop != nil { bits |= 1 << 9 }
    if insetLeft != nil { bits |= 1 << 10 }
    if insetBottom != nil { bits |= 1 << 11 }
    if insetRight != nil { bits |= 1 << 12 }
    if minimumZoomScale != nil { bits |= 1 << 13 }
    if maximumZoomScale != nil { bits |= 1 << 14 }
    if willDecelerate != nil { bits |= 1 << 15 }
    if rightToLeft != nil { bits |= 1 << 16 }
    if source != nil { bits |= 1 << 17 }
    return FieldSet(rawValue: bits)
  }
}

extension Event.Kind {
  /// The fields that events of this kind can have.
  public var allowedFields: Event.FieldSet {
    switch self {
    case .layout: [.offset, .layout]
    case .dragBegin: .offset
    case .scroll: [.offset, .translation, Event.FieldSet(.source)]
    case .dragEnd: [.offset, .translation, Event.FieldSet(.willDecelerate)]
    case .scrollEnd: [.offset, Event.FieldSet(.source)]
    case .zoomBegin, .zoom, .zoomEnd: [.offset, Event.FieldSet(.zoomScale)]
    }
  }

  /// The fields that every event of this kind must have.
  public var requiredFields: Event.FieldSet {
    switch self {
    case .dragBegin, .scroll, .dragEnd, .scrollEnd: .offset
    case .zoom: Event.FieldSet(.zoomScale)
    case .layout, .zoomBegin, .zoomEnd: []
    }
  }
}
