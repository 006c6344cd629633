extension FoldState {
  /// A field of a state as JSON and subscribers see it. What a rule only remembers has none.
  ///
  /// This file is the table of those fields, in their order in JSON.
  public enum Field: UInt8, CaseIterable, Sendable {
    case time
    case toolbar
    case trigger
    case reachBottom
    case bottomLatch
    case topButton
    case x
    case y
    case zoomScale
    case pageIndex
    case pageCount
    case indicatorOffset
    case indicatorWidth

    /// The row of the table for the field.
    public var declaration: Declaration {
      switch self {
      case .time: Declaration("time", .integer, unit: .microseconds, isOptional: true)
      case .toolbar: Declaration("toolbar", .toolbar, watched: .toolbar)
      case .trigger: Declaration("trigger", .trigger, isOptional: true, watched: .trigger)
      case .reachBottom: Declaration("reachBottom", .flag, watched: .reachBottom)
      case .bottomLatch: Declaration("bottomLatch", .flag, watched: .bottomLatch)
      case .topButton: Declaration("topButton", .flag, watched: .topButton)
      case .x: Declaration("x", .number, unit: .points, isOptional: true)
      case .y: Declaration("y", .number, unit: .points, isOptional: true)
      case .zoomScale: Declaration("zoomScale", .number, unit: .ratio, isOptional: true)
      case .pageIndex: Declaration("pageIndex", .integer, unit: .pages, isOptional: true, watched: .pageIndex)
      case .pageCount: Declaration("pageCount", .integer, unit: .pages, isOptional: true, watched: .pageCount)
      case .indicatorOffset: Declaration("indicatorOffset", .number, unit: .points, isOptional: true)
      case .indicatorWidth: Declaration("indicatorWidth", .number, unit: .points, isOptional: true)
      }
    }
  }

  /// The value of a field; `nil` while it is unknown.
  public subscript(field: Field) -> Value? {
    switch field {
    case .time: time.map(Value.integer)
    case .toolbar: .toolbar(toolbar)
    case .trigger: trigger.map(Value.trigger)
    case .reachBottom: .flag(reachBottom)
    case .bottomLatch: .flag(bottomLatch)
    case .topButton: .flag(topButton)
    case .x: geometry.x.map(Value.number)
    case .y: geometry.y.map(Value.number)
    case .zoomScale: zoomScale.map(Value.number)
    case .pageIndex: pager.index.map { .integer(Int64($0)) }
    case .pageCount: pager.count.map { .integer(Int64($0)) }
    case .indicatorOffset: pager.indicatorOffset.map(Value.number)
    case .indicatorWidth: pager.indicatorWidth.map(Value.number)
    }
  }

  /// The value of a field.
  public enum Value: Equatable, Sendable, CustomStringConvertible {
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case toolbar(Toolbar)
    case trigger(Trigger)

    /// The value for people, such as `shown`, `true` or `3`.
    public var description: String {
      switch self {
      case .integer(let value): "\(value)"
      case .number(let value): shortest(value)
      case .flag(let value): "\(value)"
      case .toolbar(let value): "\(value.name)"
      case .trigger(let value): "\(value.name)"
      }
    }
  }
}

extension FoldState.Field {
  /// What a field holds.
  public enum ValueType: Sendable {
    case integer, number, flag, toolbar, trigger
  }

  /// A row of the table of fields.
  public struct Declaration: Sendable {
    /// The field's name on the wire.
    public let name: StaticString
    /// What the field holds.
    public let valueType: ValueType
    /// The unit of a number; `nil` for anything else.
    public let unit: Unit?
    /// Whether the field can be absent.
    public let isOptional: Bool
    /// The field as one whose change is a transition; empty for the others.
    public let watched: WatchedFields

    init(
      _ name: StaticString, _ valueType: ValueType, unit: Unit? = nil, isOptional: Bool = false,
      watched: WatchedFields = []
    ) {
      self.name = name
      self.valueType = valueType
      self.unit = unit
      self.isOptional = isOptional
      self.watched = watched
    }
  }

  /// The field's name on the wire.
  public var name: StaticString { declaration.name }

  /// The fields whose change is a transition, in the order in which `changed` names them.
  public static let watched: [Self] = allCases.filter { !$0.declaration.watched.isEmpty }
}
