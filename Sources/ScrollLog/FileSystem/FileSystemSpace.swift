/// The size and the free space of a file system, in bytes.
public struct FileSystemSpace: Equatable, Sendable {
  /// The size of the file system.
  public var total: Int64
  /// The space available to unprivileged processes.
  public var available: Int64

  /// Creates a description of a file system.
  public init(total: Int64, available: Int64) {
    self.total = total
    self.available = available
  }
}
