import Glibc

/// A signal (signal(7)).
public struct Signal: RawRepresentable, Hashable, Sendable {
  /// The C library's constant.
  public let rawValue: Int32

  /// The value of one of the C library's constants.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `SIGHUP`
  public static let hangUp = Signal(rawValue: SIGHUP)
  /// `SIGINT`, Ctrl-C
  public static let interrupt = Signal(rawValue: SIGINT)
  /// `SIGKILL`
  public static let kill = Signal(rawValue: SIGKILL)
  /// `SIGPIPE`
  public static let brokenPipe = Signal(rawValue: SIGPIPE)
  /// `SIGTERM`
  public static let terminate = Signal(rawValue: SIGTERM)

  /// Ignores the signal in this process and in the programs it starts (signal(2)).
  public func ignore() { Glibc.signal(rawValue, SIG_IGN) }
}

/// The signals that a thread blocks, to be restored later (pthread_sigmask(3)).
public struct SignalMask: Sendable {
  fileprivate var set = sigset_t()

  /// Makes this thread block exactly these signals again. A pending one of the others arrives now.
  public func restore() {
    var set = set
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}

/// A set of signals.
public struct SignalSet: Sendable {
  private let signals: [Signal]
  private let set: sigset_t

  /// A set of signals.
  public init(_ signals: [Signal]) {
    self.signals = signals
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal.rawValue) }
    self.set = set
  }

  /// Blocks the signals in this thread, and in threads that it starts from now on.
  ///
  /// - Returns: The mask before.
  @discardableResult
  public func block() -> SignalMask {
    var set = set
    var before = SignalMask()
    pthread_sigmask(SIG_BLOCK, &set, &before.set)
    return before
  }

  /// Whether one of the signals, all blocked, has come and was not taken (sigpending(2)).
  public var isPending: Bool {
    var pending = sigset_t()
    sigemptyset(&pending)
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0.rawValue) == 1 }
  }

  /// Waits for one of the signals, all blocked, and takes it (sigtimedwait(2)).
  ///
  /// - Returns: Whether one came; `false` when the time has passed, or another signal's handler has run.
  public func take(within time: Duration) -> Bool {
    var set = set
    var time = timespec(time)
    return sigtimedwait(&set, nil, &time) > 0
  }
}
