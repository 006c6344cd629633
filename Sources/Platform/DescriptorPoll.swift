import CLinux
import Glibc

/// Descriptors to wait for, each with a key that says what it is (epoll(7)).
///
///     try poll.add(socket, key: 7, .input)
///     try poll.wait(blocks: true)
///     while let (key, readiness) = poll.next() { … }
///
/// One wait reports all descriptors that are ready, up to its capacity, so that a caller can take them one by one without
/// another system call.
public final class DescriptorPoll {
  /// What a descriptor is ready for.
  public struct Readiness: OptionSet, Sendable {
    /// The bits of epoll(7).
    public let rawValue: UInt32

    /// Creates a set from the bits of epoll(7).
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to receive, or the end of it.
    public static let input = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room for output.
    public static let output = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Both directions are closed, or the descriptor has an error. It is always reported.
    public static let end = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  private let descriptor: FileDescriptor
  private let events: UnsafeMutablePointer<epoll_event>
  private let capacity: Int
  private var count = 0
  private var taken = 0

  /// - Parameter capacity: How many descriptors one wait reports at most.
  public init(capacity: Int) throws(Errno) {
    let number = epoll_create1(Int32(EPOLL_CLOEXEC))
    try check(number)
    descriptor = FileDescriptor(number)
    self.capacity = capacity
    events = .allocate(capacity: capacity)
    events.initialize(repeating: epoll_event(), count: capacity)
  }

  deinit { events.deallocate() }

  /// The poll itself, readable while one of its descriptors is ready.
  public var borrowed: BorrowedDescriptor { descriptor.borrowed }

  /// Begins to watch a descriptor.
  public func add(_ watched: BorrowedDescriptor, key: UInt64, _ interest: Readiness) throws(Errno) {
    try set(EPOLL_CTL_ADD, watched, key, interest)
  }

  /// Changes what a descriptor is watched for.
  public func change(_ watched: BorrowedDescriptor, key: UInt64, _ interest: Readiness) throws(Errno) {
    try set(EPOLL_CTL_MOD, watched, key, interest)
  }

  /// Stops watching a descriptor. Call this before you close it, since a copy of it would still be watched.
  public func remove(_ watched: BorrowedDescriptor) {
    // It fails only for a descriptor that is not watched.
    _ = epoll_ctl(descriptor.rawValue, EPOLL_CTL_DEL, watched.rawValue, nil)
  }

  private func set(
    _ operation: Int32, _ watched: BorrowedDescriptor, _ key: UInt64, _ interest: Readiness
  ) throws(Errno) {
    var event = epoll_event()
    event.events = interest.rawValue
    event.data.u64 = key
    try check(epoll_ctl(descriptor.rawValue, operation, watched.rawValue, &event))
  }

  /// Finds out which descriptors are ready, and forgets what was reported before and not taken.
  ///
  /// - Parameter blocks: Whether to wait until one is, or until a signal arrives.
  public func wait(blocks: Bool) throws(Errno) {
    taken = 0
    count = 0
    let found = epoll_wait(descriptor.rawValue, events, Int32(capacity), blocks ? -1 : 0)
    if found >= 0 {
      count = Int(found)
      return
    }
    let error = Errno.last
    if error != .interrupted { throw error }
  }

  /// Whether ``next()`` has something to return.
  public var hasNext: Bool { taken < count }

  /// Returns the next descriptor that the last wait has reported.
  public func next() -> (key: UInt64, readiness: Readiness)? {
    if taken == count { return nil }
    defer { taken += 1 }
    return (events[taken].data.u64, Readiness(rawValue: events[taken].events))
  }
}
