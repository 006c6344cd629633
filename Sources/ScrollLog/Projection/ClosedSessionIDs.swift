import ScrollModel

/// The ids of sessions that were closed, with their owners: as many of the newest as a limit allows, and up to twice as many.
///
/// The log keeps no list of them, and there is no limit to how many sessions come and go.
public struct ClosedSessionIDs: Equatable, Sendable {
  /// How many of the newest ids are kept for certain.
  private let limit: Int
  private var newer: [SessionID: SessionOwner] = [:]
  private var older: [SessionID: SessionOwner] = [:]

  /// Creates an empty collection.
  public init(limit: Int) { self.limit = limit }

  /// How many ids of closed sessions a start remembers for certain, those of the newest segments. They take 16 MiB.
  static let startLimit = 1 << 18

  /// An empty collection of as many ids as a start remembers.
  static var ofStart: ClosedSessionIDs { ClosedSessionIDs(limit: startLimit) }

  /// All ids that are kept, with their owners.
  public var all: [SessionID: SessionOwner] { newer.merging(older) { newer, _ in newer } }

  /// How many ids are kept.
  var count: Int { newer.count + older.count }

  /// Adds the ids of another collection, as the newest.
  mutating func append(_ ids: ClosedSessionIDs) {
    for (id, owner) in ids.older { insert(id, of: owner) }
    for (id, owner) in ids.newer { insert(id, of: owner) }
  }

  /// Returns the owner of a session; `nil` if its id is not among them.
  public subscript(id: SessionID) -> SessionOwner? { newer[id] ?? older[id] }

  /// Adds an id, as the newest.
  public mutating func insert(_ id: SessionID, of owner: SessionOwner) {
    newer[id] = owner
    guard newer.count >= limit else { return }
    older = newer
    newer = [:]
  }

  /// Removes an id.
  public mutating func remove(_ id: SessionID) {
    newer[id] = nil
    older[id] = nil
  }
}
