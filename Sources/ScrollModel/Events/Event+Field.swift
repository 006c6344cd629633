extension Event {
  /// A field of an event, other than its kind and time.
  ///
  /// This file is the table of fields: JSON, the log's coding, validation and the tests of the documentation follow it.
  /// The raw value is the field's bit in the log's presence mask and its place among an event's values, there and in JSON.
  /// It is part of the log's format: a new field takes the next one.
  public enum Field: UInt8, CaseIterable, Sendable {
    case x = 0
    case y = 1
    case translationX = 2
    case translationY = 3
    case zoomScale = 4
    case contentWidth = 5
    case contentHeight = 6
    case frameWidth = 7
    case frameHeight = 8
    case insetTop = 9
    case insetLeft = 10
    case insetBottom = 11
    case insetRight = 12
    case minimumZoomScale = 13
    case maximumZoomScale = 14
    case willDecelerate = 15
    case rightToLeft = 16
    case source = 17
    case pageWidth = 18
    case toolbarPinned = 19

    /// The row of the table for the field.
    @inlinable @inline(__always)
    public var declaration: Declaration {
      switch self {
      case .x: Declaration("x", .number(.length), of: .all, requiredBy: .scrolling)
      case .y: Declaration("y", .number(.length), of: .all, requiredBy: .scrolling)
      case .translationX: Declaration("translationX", .number(.length), of: [.scroll, .dragEnd])
      case .translationY: Declaration("translationY", .number(.length), of: [.scroll, .dragEnd])
      case .zoomScale: Declaration("zoomScale", .number(.scale), of: .zooming, requiredBy: .zoom)
      case .contentWidth: Declaration("contentWidth", .number(.size), of: .layout)
      case .contentHeight: Declaration("contentHeight", .number(.size), of: .layout)
      case .frameWidth: Declaration("frameWidth", .number(.size), of: .layout)
      case .frameHeight: Declaration("frameHeight", .number(.size), of: .layout)
      case .insetTop: Declaration("insetTop", .number(.length), of: .layout)
      case .insetLeft: Declaration("insetLeft", .number(.length), of: .layout)
      case .insetBottom: Declaration("insetBottom", .number(.length), of: .layout)
      case .insetRight: Declaration("insetRight", .number(.length), of: .layout)
      case .minimumZoomScale: Declaration("minimumZoomScale", .number(.scale), of: .layout)
      case .maximumZoomScale: Declaration("maximumZoomScale", .number(.scale), of: .layout)
      case .willDecelerate: Declaration("willDecelerate", .flag, of: .dragEnd)
      case .rightToLeft: Declaration("rightToLeft", .flag, of: .layout)
      case .source: Declaration("source", .source, of: [.scroll, .scrollEnd])
      case .pageWidth: Declaration("pageWidth", .number(.spacing), of: .layout)
      case .toolbarPinned: Declaration("toolbarPinned", .flag, of: .layout)
      }
    }

    /// Calls `body` with each field in order, as a loop over `allCases` does.
    ///
    /// The calls are written out so that the optimiser makes code for each field from an inlined `body`, as fast as code
    /// written by hand for each. A loop would look the field up in the table for every event.
    @inlinable @inline(__always)
    public static func visitAll(_ body: (Field) -> Void) {
      body(.x)
      body(.y)
      body(.translationX)
      body(.translationY)
      body(.zoomScale)
      body(.contentWidth)
      body(.contentHeight)
      body(.frameWidth)
      body(.frameHeight)
      body(.insetTop)
      body(.insetLeft)
      body(.insetBottom)
      body(.insetRight)
      body(.minimumZoomScale)
      body(.maximumZoomScale)
      body(.willDecelerate)
      body(.rightToLeft)
      body(.source)
      body(.pageWidth)
      body(.toolbarPinned)
    }
  }

  /// The value of a field that holds a number; `nil` when it is absent or the field holds something else.
  @inlinable
  public subscript(number field: Field) -> Double? {
    @inline(__always)
    get {
      switch field {
      case .x: x
      case .y: y
      case .translationX: translationX
      case .translationY: translationY
      case .zoomScale: zoomScale
      case .contentWidth: contentWidth
      case .contentHeight: contentHeight
      case .frameWidth: frameWidth
      case .frameHeight: frameHeight
      case .insetTop: insetTop
      case .insetLeft: insetLeft
      case .insetBottom: insetBottom
      case .insetRight: insetRight
      case .minimumZoomScale: minimumZoomScale
      case .maximumZoomScale: maximumZoomScale
      case .pageWidth: pageWidth
      case .willDecelerate, .rightToLeft, .source, .toolbarPinned: nil
      }
    }
    @inline(__always)
    set {
      switch field {
      case .x: x = newValue
      case .y: y = newValue
      case .translationX: translationX = newValue
      case .translationY: translationY = newValue
      case .zoomScale: zoomScale = newValue
      case .contentWidth: contentWidth = newValue
      case .contentHeight: contentHeight = newValue
      case .frameWidth: frameWidth = newValue
      case .frameHeight: frameHeight = newValue
      case .insetTop: insetTop = newValue
      case .insetLeft: insetLeft = newValue
      case .insetBottom: insetBottom = newValue
      case .insetRight: insetRight = newValue
      case .minimumZoomScale: minimumZoomScale = newValue
      case .maximumZoomScale: maximumZoomScale = newValue
      case .pageWidth: pageWidth = newValue
      case .willDecelerate, .rightToLeft, .source, .toolbarPinned: break
      }
    }
  }

  /// The value of a field that is true or false; `nil` when it is absent or the field holds something else.
  @inlinable
  public subscript(flag field: Field) -> Bool? {
    @inline(__always)
    get {
      switch field {
      case .willDecelerate: willDecelerate
      case .rightToLeft: rightToLeft
      case .toolbarPinned: toolbarPinned
      default: nil
      }
    }
    @inline(__always)
    set {
      switch field {
      case .willDecelerate: willDecelerate = newValue
      case .rightToLeft: rightToLeft = newValue
      case .toolbarPinned: toolbarPinned = newValue
      default: break
      }
    }
  }
}

extension Event.Field {
  /// What a field holds.
  public enum ValueType: Equatable, Sendable {
    case number(Quantity)
    case flag
    case source
  }

  /// What a number measures, which decides its unit and bounds.
  public enum Quantity: Sendable {
    /// A position or a distance; any finite number.
    case length
    /// A width or a height, at least 0.
    case size
    /// The distance between two places, more than 0.
    case spacing
    /// A zoom scale, more than 0.
    case scale

    /// The unit.
    public var unit: Unit {
      switch self {
      case .length, .size, .spacing: .points
      case .scale: .ratio
      }
    }
  }

  /// A row of the table of fields.
  public struct Declaration: Sendable {
    /// The field's name in recordings and on the wire.
    public let name: StaticString
    /// What the field holds.
    public let valueType: ValueType
    /// The kinds of events that can have the field.
    public let kinds: Event.KindSet
    /// The kinds of events that must have the field.
    public let requiringKinds: Event.KindSet

    @inlinable @inline(__always)
    init(
      _ name: StaticString, _ valueType: ValueType, of kinds: Event.KindSet,
      requiredBy requiringKinds: Event.KindSet = []
    ) {
      self.name = name
      self.valueType = valueType
      self.kinds = kinds
      self.requiringKinds = requiringKinds
    }
  }

  /// The field's name in recordings and on the wire.
  @inlinable @inline(__always)
  public var name: StaticString { declaration.name }

  /// What the field holds.
  @inlinable @inline(__always)
  public var valueType: ValueType { declaration.valueType }
}
