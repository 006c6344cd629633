// Sources of sd-event, with closures.

import CSystemd
import Platform

/// A source of sd-event(3) that calls a closure; it ends with the last reference to it.
final class EventSource {
  /// How late a timer may be, in microseconds.
  private static let timerAccuracy: UInt64 = 1000

  /// Whether a source comes before others that are due.
  enum Urgency {
    case first, normal

    fileprivate var priority: Int64 {
      switch self {
      case .first: Int64(SD_EVENT_PRIORITY_IMPORTANT)
      case .normal: Int64(SD_EVENT_PRIORITY_NORMAL)
      }
    }
  }

  private var source: OpaquePointer?
  private let handler: (UInt32) -> Void
  private var interval: UInt64 = 0
  private var time = UInt64.max
  private var interest = EPOLLIN.rawValue
  private var isEnabled = true
  private var urgency = Urgency.normal

  private init(_ handler: @escaping (UInt32) -> Void) {
    self.handler = handler
  }

  deinit {
    // Takes the source out of the loop at once, even while it is being dispatched.
    sd_event_source_disable_unref(source)
  }

  /// Calls a closure with epoll's events when a descriptor can be read, or is ready for what `setInterest` said.
  convenience init(_ event: OpaquePointer, reading descriptor: Int32, _ handler: @escaping (UInt32) -> Void) throws {
    self.init(handler)
    let result = sd_event_add_io(
      event, &source, descriptor, EPOLLIN.rawValue,
      { _, _, events, context in
        EventSource.call(context) { $0.handler(events) }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "watch a descriptor")
  }

  /// Calls a closure when a signal comes, which must be blocked.
  convenience init(_ event: OpaquePointer, signal: Signal, _ handler: @escaping () -> Void) throws {
    self.init { _ in handler() }
    let result = sd_event_add_signal(
      event, &source, signal.rawValue,
      { _, _, context in
        EventSource.call(context) { $0.handler(0) }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "wait for a signal")
  }

  /// Calls a closure again and again, so many microseconds apart.
  convenience init(_ event: OpaquePointer, every interval: UInt64, _ handler: @escaping () -> Void) throws {
    self.init { _ in handler() }
    self.interval = interval
    let result = sd_event_add_time_relative(
      event, &source, CLOCK_MONOTONIC, interval, 0,
      { source, _, context in
        EventSource.call(context) {
          $0.handler(0)
          sd_event_source_set_time_relative(source, $0.interval)
          sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
        }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "set a timer")
  }

  /// Calls a closure once at the time that `setTime` says, as often as that is called.
  convenience init(_ event: OpaquePointer, timer handler: @escaping () -> Void) throws {
    self.init { _ in handler() }
    let result = sd_event_add_time(
      event, &source, CLOCK_MONOTONIC, UInt64.max, Self.timerAccuracy,
      { _, _, context in
        EventSource.call(context) {
          $0.time = .max
          $0.handler(0)
        }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "set a timer")
  }

  /// Says when the timer's closure is called next, by the monotonic clock in microseconds.
  func setTime(_ time: UInt64) {
    if time == self.time { return }
    self.time = time
    sd_event_source_set_time(source, time)
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }

  /// Takes the source out of the loop; to be called before its descriptor is closed.
  func cancel() {
    source = sd_event_source_disable_unref(source)
  }

  /// Changes which of epoll's events are waited for; that the peer hung up is always told.
  func setInterest(_ events: UInt32) {
    if events == interest { return }
    interest = events
    sd_event_source_set_io_events(source, events)
  }

  /// Changes whether the source comes before the others where several are due.
  func setUrgency(_ urgency: Urgency) {
    if urgency == self.urgency { return }
    self.urgency = urgency
    sd_event_source_set_priority(source, urgency.priority)
  }

  /// Stops or resumes the calls.
  func setEnabled(_ enabled: Bool) {
    if enabled == isEnabled { return }
    isEnabled = enabled
    sd_event_source_set_enabled(source, enabled ? Int32(SD_EVENT_ON) : Int32(SD_EVENT_OFF))
  }

  private static func call(_ context: UnsafeMutableRawPointer?, _ body: (EventSource) -> Void) -> Int32 {
    // The handler may let go of the source, so it is held until it returns.
    if let context { body(Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()) }
    return 0
  }
}

/// Turns a negative result of sd-event into an error.
func check(_ result: Int32, _ operation: String) throws(SystemError) {
  if result < 0 { throw SystemError(operation, Errno(rawValue: -result)) }
}
