// How much room a file system has.

/// How much room a file system has, in bytes.
public struct FileSystemSpace: Equatable, Sendable {
  /// All that it could hold.
  public var total: Int64
  /// What is free for processes without privileges.
  public var available: Int64

  /// A room of its parts.
  public init(total: Int64, available: Int64) {
    self.total = total
    self.available = available
  }
}
