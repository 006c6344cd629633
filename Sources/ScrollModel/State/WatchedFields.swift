// The fields of the state whose change is a transition.

/// A set of the fields whose change is a transition, in the order in which `changed` names them.
public struct WatchedFields: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let toolbar = WatchedFields(rawValue: 1 << 0)
  public static let trigger = WatchedFields(rawValue: 1 << 1)
  public static let reachBottom = WatchedFields(rawValue: 1 << 2)
  public static let bottomLatch = WatchedFields(rawValue: 1 << 3)
  public static let topButton = WatchedFields(rawValue: 1 << 4)
  public static let pageIndex = WatchedFields(rawValue: 1 << 5)
  public static let pageCount = WatchedFields(rawValue: 1 << 6)

  /// Every watched field with its name, in order.
  public static let named: [(field: WatchedFields, name: StaticString)] = [
    (.toolbar, "toolbar"), (.trigger, "trigger"), (.reachBottom, "reachBottom"), (.bottomLatch, "bottomLatch"),
    (.topButton, "topButton"), (.pageIndex, "pageIndex"), (.pageCount, "pageCount"),
  ]

  /// The names of the set's fields, in order.
  public var names: [String] { Self.named.filter { contains($0.field) }.map { "\($0.name)" } }
}
