/// Whether the toolbar is visible. The raw value is the state's number in the log's checkpoints.
public enum Toolbar: UInt8, CaseIterable, Sendable {
  case shown = 0
  case hidden = 1

  /// The name on the wire.
  public var name: StaticString {
    switch self {
    case .shown: "shown"
    case .hidden: "hidden"
    }
  }
}
