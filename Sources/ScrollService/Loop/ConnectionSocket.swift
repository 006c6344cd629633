import Platform

/// A connection's socket, and what the loop watches it for.
final class ConnectionSocket {
  /// What the loop watches a socket for.
  struct Watch: Equatable {
    var interest: DescriptorPoll.Readiness
    /// Whether the sockets of other users come first.
    var isCrowded: Bool
  }

  let id: ConnectionID
  private let descriptor: FileDescriptor
  /// What it is watched for; `nil` while it is not watched.
  var watch: Watch?
  /// The slot in which it is kept for the next daemon.
  var slot: Int?
  /// Whether the kernel takes no more output for now.
  var isFull = false
  /// Whether what it is watched for is to be set for what follows.
  var isTouched = false
  /// Whether its sending side is shut down, since nothing more is sent.
  var hasEndedSending = false

  init(id: ConnectionID, _ descriptor: consuming FileDescriptor) {
    self.id = id
    self.descriptor = descriptor
  }

  var rawValue: Int32 { descriptor.rawValue }
  var borrowed: BorrowedDescriptor { descriptor.borrowed }
}
