import Platform

/// A connection's socket and the source that watches it.
final class ConnectionSocket {
  let id: ConnectionID
  private let descriptor: FileDescriptor
  var source: EventSource?
  /// The slot in which it is kept for the next daemon.
  var slot: Int?
  /// Whether the kernel takes no more output for now.
  var isFull = false
  /// Whether its source is to be set for what follows.
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
