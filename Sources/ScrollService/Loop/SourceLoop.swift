import CSystemd
import Platform

/// The loop of sd-event(3), for what happens seldom: signals and timers.
///
/// It does not wait itself. The daemon's loop watches its descriptor with its own, since a turn of sd-event takes several system
/// calls, which each event of a client would have to wait for.
final class SourceLoop {
  /// The loop, for sources.
  let event: OpaquePointer
  /// The sources that last as long as the loop.
  private var sources: [EventSource] = []
  /// Whether its descriptor becomes readable when a source is due.
  private var isArmed = false
  /// Whether a timer was set since it was armed.
  private var haveTimersChanged = false

  /// - Throws: ``SystemError`` when the system lacks a resource.
  init() throws(SystemError) {
    var event: OpaquePointer?
    try check(sd_event_new(&event), "make an event loop")
    guard let event else { throw SystemError("make an event loop", .outOfMemory) }
    self.event = event
  }

  deinit { sd_event_unref(event) }

  /// Keeps a source for as long as the loop lasts.
  func keep(_ source: EventSource) { sources.append(source) }

  /// The descriptor, readable when a source is due after ``arm()``.
  var borrowed: BorrowedDescriptor { BorrowedDescriptor(sd_event_get_fd(event)) }

  /// Records that a timer was set, which counts from the next ``arm()`` on.
  func timersDidChange() { haveTimersChanged = true }

  /// Dispatches what is already due, and lets the descriptor become readable when more is.
  ///
  /// - Returns: Whether anything was dispatched.
  func arm() throws(SystemError) -> Bool {
    if isArmed, !haveTimersChanged { return false }
    haveTimersChanged = false
    var hasDispatched = try dispatchDue()
    while !isArmed {
      if try isDue(sd_event_prepare(event)) {
        try dispatch()
        hasDispatched = true
      } else {
        isArmed = true
      }
    }
    return hasDispatched
  }

  /// Dispatches a source that is due, if one is. ``arm()`` follows.
  ///
  /// - Returns: Whether one was.
  @discardableResult
  func dispatchDue() throws(SystemError) -> Bool {
    guard isArmed else { return false }
    isArmed = false
    guard try isDue(sd_event_wait(event, 0)) else { return false }
    try dispatch()
    return true
  }

  private func dispatch() throws(SystemError) { _ = try isDue(sd_event_dispatch(event)) }

  /// Returns whether a call's result says that a source is due.
  private func isDue(_ result: Int32) throws(SystemError) -> Bool {
    // A signal may interrupt a wait, after which nothing is due.
    if result == -Errno.interrupted.rawValue { return false }
    if result < 0 { throw SystemError("wait for events", Errno(rawValue: -result)) }
    return result > 0
  }
}
