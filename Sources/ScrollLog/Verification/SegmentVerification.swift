// What a check of a segment found.

import ScrollModel

/// What a check of one segment found.
public struct SegmentVerification: Equatable, Sendable {
  /// Bytes that are not as they should be.
  public struct Problem: Equatable, Sendable {
    /// Where they begin in the file.
    public var offset: Int64
    /// What is wrong.
    public var reason: String
  }

  /// The file, as a path.
  public var file: String
  /// Whether it is packed.
  public var isPacked = false
  /// How many blocks are good; in a packed segment those that were packed count.
  public var blocks = 0
  /// How many records are good.
  public var records = 0
  /// The first position; that in the file's name while there are no records.
  public var firstPosition: Position
  /// The last position of a good record; the one before ``firstPosition`` while there are none.
  public var lastPosition: Position
  /// How many sessions its checkpoint holds.
  public var checkpointSessions = 0
  /// What is damaged.
  public var problems: [Problem] = []
  /// In the last segment, bytes behind the last good block that no later block calls synced: a write that never ended, or
  /// one that a running daemon is about to end.
  public var unfinished: Problem?

  init(file: String, firstPosition: Position) {
    self.file = file
    self.firstPosition = firstPosition
    lastPosition = firstPosition - 1
  }
}
