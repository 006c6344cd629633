import ScrollModel

/// The fields of a state whose change is a transition.
public struct WatchedView: Equatable, Sendable {
  private let values: [FoldState.Value?]
  /// Whether the toolbar is visible.
  public let toolbar: Toolbar
  /// What last changed it.
  public let trigger: Trigger?

  /// Creates a view of a state.
  public init(_ state: FoldState) {
    values = FoldState.Field.watched.map { state[$0] }
    toolbar = state.toolbar
    trigger = state.trigger
  }

  /// The value of a watched field; `nil` for one that is unknown or not watched.
  public subscript(field: FoldState.Field) -> FoldState.Value? {
    FoldState.Field.watched.firstIndex(of: field).flatMap { values[$0] }
  }

  /// Returns the fields in which two views differ.
  public func difference(from other: WatchedView) -> WatchedFields {
    var fields: WatchedFields = []
    for (index, field) in FoldState.Field.watched.enumerated() where values[index] != other.values[index] {
      fields.formUnion(field.declaration.watched)
    }
    return fields
  }
}
