// How far the writer has come.

import ScrollModel

/// How far the writer has come.
public struct WriterStatus: Equatable, Sendable {
  /// The first position of the segment that is being written.
  public var segment: Position
  /// How many bytes of it are in use.
  public var segmentBytes: Int64
  /// How many bytes its file takes, space that is reserved ahead included.
  public var reservedBytes: Int64
  /// The last position that was written.
  public var written: Position
  /// The last position that survives a power loss.
  public var synced: Position
}
