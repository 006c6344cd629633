// The fields of the state whose change is a transition.

/// A set of the fields whose change is a transition, in the order in which `changed` names them.
public struct WatchedFields: OptionSet, Sendable {
  /// The set's bits.
  public let rawValue: UInt8

  /// A set of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether the toolbar is seen.
  public static let toolbar = WatchedFields(rawValue: 1 << 0)
  /// What last decided the toolbar.
  public static let trigger = WatchedFields(rawValue: 1 << 1)
  /// Whether the bottom is reached.
  public static let reachBottom = WatchedFields(rawValue: 1 << 2)
  /// Whether one more pull at the bottom reveals the toolbar.
  public static let bottomLatch = WatchedFields(rawValue: 1 << 3)
  /// Whether the button to the top is seen.
  public static let topButton = WatchedFields(rawValue: 1 << 4)
  /// The page that the tab bar marks.
  public static let pageIndex = WatchedFields(rawValue: 1 << 5)
  /// How many pages there are.
  public static let pageCount = WatchedFields(rawValue: 1 << 6)

  /// Every watched field with its name, in order.
  public static let named: [(field: WatchedFields, name: StaticString)] = [
    (.toolbar, "toolbar"), (.trigger, "trigger"), (.reachBottom, "reachBottom"), (.bottomLatch, "bottomLatch"),
    (.topButton, "topButton"), (.pageIndex, "pageIndex"), (.pageCount, "pageCount"),
  ]

  /// The names of the set's fields, in order.
  public var names: [String] { Self.named.filter { contains($0.field) }.map { "\($0.name)" } }
}
