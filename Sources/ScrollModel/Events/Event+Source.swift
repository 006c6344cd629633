extension Event {
  /// Who moved the content. The raw value is the source's number in the log.
  public enum Source: UInt8, CaseIterable, Sendable {
    /// The user, by finger, wheel or momentum.
    case user = 0
    /// The app itself, for example by jumping to an anchor.
    case program = 1
    /// A relayout.
    case layout = 2

    /// The source's name in recordings and on the wire.
    public var name: StaticString {
      switch self {
      case .user: "user"
      case .program: "program"
      case .layout: "layout"
      }
    }
  }
}
