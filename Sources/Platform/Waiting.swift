import Glibc

/// What a descriptor is ready for (poll(2)).
public struct Readiness: OptionSet, Sendable {
  /// The C library's constant.
  public let rawValue: Int16

  /// The value of one of the C library's constants.
  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// Bytes or the end can be read.
  public static let input = Readiness(rawValue: Int16(POLLIN))
  /// Bytes can be written.
  public static let output = Readiness(rawValue: Int16(POLLOUT))
}

extension BorrowedDescriptor {
  /// Waits until the descriptor is ready for one of `events`.
  ///
  /// - Parameter deadline: How long to wait at most; forever when `nil`.
  /// - Returns: What it is ready for; nothing when the deadline has passed. A descriptor with an error, or whose peer is
  ///   gone, is ready for all of `events`: the next call on it reports the error.
  public func wait(for events: Readiness, until deadline: ContinuousClock.Instant?) throws(Errno) -> Readiness {
    while true {
      var entry = pollfd(fd: rawValue, events: events.rawValue, revents: 0)
      let count = try retryingInterrupts { poll(&entry, 1, deadline.map(Self.milliseconds) ?? -1) }
      if count > 0 {
        return Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0 ? Readiness(rawValue: entry.revents) : events
      }
      if let deadline, ContinuousClock.now >= deadline { return [] }
    }
  }

  /// Waits until one of several descriptors has input or has come to its end.
  ///
  /// - Returns: Whether one has; `false` when the time has passed.
  @discardableResult
  public static func waitForInput(on descriptors: [BorrowedDescriptor], milliseconds: Int32) throws(Errno) -> Bool {
    var entries = descriptors.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
    return try retryingInterrupts { poll(&entries, nfds_t(entries.count), milliseconds) } > 0
  }

  /// Waits until one of several descriptors is ready for what it is asked for.
  ///
  /// - Parameter deadline: How long to wait at most; forever when `nil`.
  /// - Returns: What each is ready for, in their order; nothing of any when the deadline has passed. A descriptor with an error,
  ///   or whose peer is gone, is ready for all of its events.
  public static func wait(
    for interests: [(descriptor: BorrowedDescriptor, events: Readiness)], until deadline: ContinuousClock.Instant?
  ) throws(Errno) -> [Readiness] {
    var entries = interests.map { pollfd(fd: $0.descriptor.rawValue, events: $0.events.rawValue, revents: 0) }
    _ = try retryingInterrupts { poll(&entries, nfds_t(entries.count), deadline.map(milliseconds) ?? -1) }
    return zip(entries, interests).map { entry, interest in
      Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0
        ? Readiness(rawValue: entry.revents) : interest.events
    }
  }

  /// Returns the time until a moment, rounded up, so that a wait doesn't spin in the last millisecond.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let (seconds, attoseconds) = max(.zero, deadline - .now).components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
