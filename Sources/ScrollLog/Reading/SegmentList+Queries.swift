import ScrollModel

extension SegmentList {
  /// The same of its view.
  public func position(before position: Position, receivedBy time: Int64) -> Position {
    view.position(before: position, receivedBy: time)
  }

  /// The same of its view.
  public func firstPosition(behind file: String) -> Position? { view.firstPosition(behind: file) }

  /// The same of its view.
  public func damage(at position: Position, _ reason: String) -> LogDamage { view.damage(at: position, reason) }
}

extension LogReader {
  /// The same of its view.
  public init(_ segments: SegmentList, after position: Position) { self.init(segments.view, after: position) }

  /// The same of its view.
  public static func checkpoint(_ segments: SegmentList, before position: Position) throws(ReadError) -> Checkpoint {
    try segments.view.checkpoint(before: position)
  }
}

extension SessionSearch {
  /// The same of its view.
  public init(_ segments: SegmentList, where isWanted: @escaping (SessionID, ClientID) -> Bool) {
    self.init(segments.view, where: isWanted)
  }
}
