import Platform

/// What the loop waits for: its own sources, and the connections' sockets.
///
/// The sockets of users with many connections are in a poll of their own, inside the first one. They are reported after all
/// others, so that such a user's flood delays nobody else.
final class LoopPoll {
  /// What is ready.
  enum Ready {
    /// A thread has results.
    case results
    /// A source of sd-event: a signal or a timer.
    case sources
    /// A client wants to connect.
    case listener
    case connection(ConnectionID, DescriptorPoll.Readiness)
  }

  /// How many descriptors one system call reports.
  private static let capacity = 64
  // Connections have numbers from 1 on.
  private static let results = UInt64.max
  private static let sources = UInt64.max - 1
  private static let listener = UInt64.max - 2
  private static let crowd = UInt64.max - 3

  private let poll: DescriptorPoll
  private let crowded: DescriptorPoll
  private var isCrowdReady = false
  private var busyWait: BusyWait

  /// - Parameter processors: The number of processors that the machine has.
  /// - Throws: ``SystemError`` when the system lacks a resource.
  init(processors: Int = CurrentProcess.onlineProcessors) throws(SystemError) {
    busyWait = BusyWait(processors: processors)
    (poll, crowded) = try SystemError.wrapping("wait for descriptors") { () throws(Errno) in
      let polls = (try DescriptorPoll(capacity: Self.capacity), try DescriptorPoll(capacity: Self.capacity))
      try polls.0.add(polls.1.borrowed, key: Self.crowd, .input)
      return polls
    }
  }

  // MARK: What is watched

  /// Watches the counter of the threads' results.
  func watchResults(_ descriptor: BorrowedDescriptor) throws(SystemError) { try watch(descriptor, Self.results) }

  /// Watches the descriptor of a loop of sd-event.
  func watchSources(_ descriptor: BorrowedDescriptor) throws(SystemError) { try watch(descriptor, Self.sources) }

  /// Watches the socket that clients connect to.
  func watchListener(_ descriptor: BorrowedDescriptor) throws(SystemError) { try watch(descriptor, Self.listener) }

  /// Stops watching the socket that clients connect to.
  func ignoreListener(_ descriptor: BorrowedDescriptor) { poll.remove(descriptor) }

  private func watch(_ descriptor: BorrowedDescriptor, _ key: UInt64) throws(SystemError) {
    try SystemError.wrapping("watch a descriptor") { () throws(Errno) in try poll.add(descriptor, key: key, .input) }
  }

  /// Sets what a connection's socket is watched for.
  ///
  /// - Parameter watch: What it is watched for; `nil` for nothing, not even that its peer has hung up.
  func set(_ socket: ConnectionSocket, _ watch: ConnectionSocket.Watch?) throws(SystemError) {
    if socket.watch == watch { return }
    let before = socket.watch
    // After a failure it is in none of the polls.
    socket.watch = nil
    try SystemError.wrapping("watch a connection") { () throws(Errno) in
      if let before, let watch, before.isCrowded == watch.isCrowded {
        try poll(of: watch).change(socket.borrowed, key: socket.id, watch.interest)
      } else {
        if let before { poll(of: before).remove(socket.borrowed) }
        if let watch { try poll(of: watch).add(socket.borrowed, key: socket.id, watch.interest) }
      }
    }
    socket.watch = watch
  }

  private func poll(of watch: ConnectionSocket.Watch) -> DescriptorPoll { watch.isCrowded ? crowded : poll }

  // MARK: What is ready

  /// Finds out what is ready, unless the last time has left something.
  ///
  /// - Parameter blocks: Whether to wait if nothing is ready.
  func wait(blocks: Bool) throws(SystemError) {
    if poll.hasNext { return }
    let hasLeft = isCrowdReady || crowded.hasNext
    try SystemError.wrapping("wait for events") { () throws(Errno) in
      if blocks && !hasLeft { try waitForSome() } else { try poll.wait(blocks: false) }
    }
  }

  private func waitForSome() throws(Errno) {
    let start = Clock.monotonicMicroseconds()
    if busyWait.isWorthwhile {
      repeat {
        try poll.wait(blocks: false)
        if poll.hasNext { return }
      } while Clock.monotonicMicroseconds() < start + BusyWait.span
      busyWait.lookedInVain()
      try poll.wait(blocks: true)
    } else {
      try poll.wait(blocks: true)
      busyWait.slept(Clock.monotonicMicroseconds() - start)
    }
  }

  /// Returns what is ready next.
  func next() throws(SystemError) -> Ready? {
    while let (key, readiness) = poll.next() {
      switch key {
      case Self.results: return .results
      case Self.sources: return .sources
      case Self.listener: return .listener
      case Self.crowd: isCrowdReady = true
      default: return .connection(key, readiness)
      }
    }
    if !crowded.hasNext, isCrowdReady {
      isCrowdReady = false
      try SystemError.wrapping("wait for events") { () throws(Errno) in try crowded.wait(blocks: false) }
    }
    return crowded.next().map { .connection($0.key, $0.readiness) }
  }
}
