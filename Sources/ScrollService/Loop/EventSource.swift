import CSystemd
import Platform

/// A source of sd-event(3) that calls a closure, until the last reference to the source is released.
package final class EventSource {
  /// How late a timer may be, in microseconds.
  private static let timerAccuracy: UInt64 = 1000

  private var source: OpaquePointer?
  private let handler: (UInt32) -> Void
  private var interval: UInt64 = 0
  private var time = UInt64.max
  private var interest = EPOLLIN.rawValue
  private var isEnabled = true

  private init(_ handler: @escaping (UInt32) -> Void) {
    self.handler = handler
  }

  deinit {
    // This removes the source from the loop at once, even while it is being dispatched.
    sd_event_source_disable_unref(source)
  }

  /// Calls a closure with epoll's events when a descriptor is readable, or ready for what ``setInterest(_:)`` set.
  package convenience init(_ event: OpaquePointer, reading descriptor: Int32, _ handler: @escaping (UInt32) -> Void)
    throws
  {
    self.init(handler)
    let result = sd_event_add_io(
      event, &source, descriptor, EPOLLIN.rawValue,
      { _, _, events, context in
        EventSource.call(context) { $0.handler(events) }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "watch a descriptor")
  }

  /// Calls a closure when a signal arrives. The signal must be blocked.
  package convenience init(_ event: OpaquePointer, signal: Signal, _ handler: @escaping () -> Void) throws {
    self.init { _ in handler() }
    let result = sd_event_add_signal(
      event, &source, signal.rawValue,
      { _, _, context in
        EventSource.call(context) { $0.handler(0) }
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(result, "wait for a signal")
  }

  /// Calls a closure repeatedly.
  ///
  /// - Parameter interval: Microseconds.
  package convenience init(_ event: OpaquePointer, every interval: UInt64, _ handler: @escaping () -> Void) throws {
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

  /// Calls a closure at the times that ``setTime(_:)`` sets.
  package convenience init(_ event: OpaquePointer, timer handler: @escaping () -> Void) throws {
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

  /// Sets when the timer's closure is called next, by the monotonic clock in microseconds.
  ///
  /// - Returns: Whether that is another time than before.
  @discardableResult
  package func setTime(_ time: UInt64) -> Bool {
    if time == self.time { return false }
    self.time = time
    sd_event_source_set_time(source, time)
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    return true
  }

  /// Removes the source from the loop. Call this before you close its descriptor.
  package func cancel() {
    source = sd_event_source_disable_unref(source)
  }

  /// Sets epoll's events that the source waits for. That the peer has hung up is always reported.
  package func setInterest(_ events: UInt32) {
    if events == interest { return }
    interest = events
    sd_event_source_set_io_events(source, events)
  }

  /// Pauses or resumes the source.
  package func setEnabled(_ enabled: Bool) {
    if enabled == isEnabled { return }
    isEnabled = enabled
    sd_event_source_set_enabled(source, enabled ? Int32(SD_EVENT_ON) : Int32(SD_EVENT_OFF))
  }

  private static func call(_ context: UnsafeMutableRawPointer?, _ body: (EventSource) -> Void) -> Int32 {
    // The handler may release the source, which therefore is retained until the handler returns.
    if let context { body(Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()) }
    return 0
  }
}

/// Turns a negative result of sd-event into an error.
package func check(_ result: Int32, _ operation: String) throws(SystemError) {
  if result < 0 { throw SystemError(operation, Errno(rawValue: -result)) }
}
