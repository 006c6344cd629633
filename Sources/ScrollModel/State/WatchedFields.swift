/// A set of the state's fields whose change is a transition.
public struct WatchedFields: OptionSet, Sendable {
  /// The set's bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Whether the toolbar is visible.
  public static let toolbar = WatchedFields(rawValue: 1 << 0)
  /// What last changed the toolbar.
  public static let trigger = WatchedFields(rawValue: 1 << 1)
  /// Whether the content is scrolled to its bottom.
  public static let reachBottom = WatchedFields(rawValue: 1 << 2)
  /// Whether one more pull at the bottom shows the toolbar.
  public static let bottomLatch = WatchedFields(rawValue: 1 << 3)
  /// Whether the button that scrolls to the top is visible.
  public static let topButton = WatchedFields(rawValue: 1 << 4)
  /// The page that the tab bar marks.
  public static let pageIndex = WatchedFields(rawValue: 1 << 5)
  /// The number of pages.
  public static let pageCount = WatchedFields(rawValue: 1 << 6)

  /// The names of the set's fields, in order.
  public var names: [String] {
    FoldState.Field.watched.filter { contains($0.declaration.watched) }.map { "\($0.name)" }
  }
}
