// The fields of events: their names, values and order.

extension Event {
  /// A field of an event besides its kind and time.
  ///
  /// The raw value is the field's bit in the log's presence mask and its place in the order of encoding.
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

    /// What a field's value is.
    public enum ValueType: Sendable {
      case number, flag, source
    }

    /// The field's name in recordings and on the wire.
    public var name: StaticString {
      switch self {
      case .x: "x"
      case .y: "y"
      case .translationX: "translationX"
      case .translationY: "translationY"
      case .zoomScale: "zoomScale"
      case .contentWidth: "contentWidth"
      case .contentHeight: "contentHeight"
      case .frameWidth: "frameWidth"
      case .frameHeight: "frameHeight"
      case .insetTop: "insetTop"
      case .insetLeft: "insetLeft"
      case .insetBottom: "insetBottom"
      case .insetRight: "insetRight"
      case .minimumZoomScale: "minimumZoomScale"
      case .maximumZoomScale: "maximumZoomScale"
      case .willDecelerate: "willDecelerate"
      case .rightToLeft: "rightToLeft"
      case .source: "source"
      }
    }

    /// What the field's value is.
    public var valueType: ValueType {
      switch self {
      case .willDecelerate, .rightToLeft: .flag
      case .source: .source
      default: .number
      }
    }
  }

  /// The value of a field that holds a number; `nil` when it is absent or the field holds something else.
  public subscript(number field: Field) -> Double? {
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
      case .willDecelerate, .rightToLeft, .source: nil
      }
    }
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
      case .willDecelerate, .rightToLeft, .source: break
      }
    }
  }

  /// The value of a field that is true or false; `nil` when it is absent or the field holds something else.
  public subscript(flag field: Field) -> Bool? {
    get {
      switch field {
      case .willDecelerate: willDecelerate
      case .rightToLeft: rightToLeft
      default: nil
      }
    }
    set {
      switch field {
      case .willDecelerate: willDecelerate = newValue
      case .rightToLeft: rightToLeft = newValue
      default: break
      }
    }
  }
}
