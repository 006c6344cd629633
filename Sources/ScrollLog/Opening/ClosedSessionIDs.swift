import ScrollModel

/// The ids of sessions that were closed: as many of the newest as a limit allows, and up to twice as many.
///
/// The log keeps no list of them, and there is no limit to how many sessions come and go.
public struct ClosedSessionIDs: Equatable, Sendable {
  /// How many of the newest ids are kept for certain.
  private let limit: Int
  private var newer: Set<SessionID> = []
  private var older: Set<SessionID> = []

  /// Creates an empty collection.
  public init(limit: Int) { self.limit = limit }

  /// All ids that are kept.
  public var all: Set<SessionID> { newer.union(older) }

  /// Returns whether an id is among them.
  public func contains(_ id: SessionID) -> Bool { newer.contains(id) || older.contains(id) }

  /// Adds an id, as the newest.
  public mutating func insert(_ id: SessionID) {
    newer.insert(id)
    guard newer.count >= limit else { return }
    older = newer
    newer = []
  }

  /// Removes an id.
  public mutating func remove(_ id: SessionID) {
    newer.remove(id)
    older.remove(id)
  }
}
