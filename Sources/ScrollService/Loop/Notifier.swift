// Tells the service manager how the daemon stands.

import CSystemd
import Platform

/// Tells the service manager how the daemon stands, by sd_notify(3). Without one it says nothing.
public struct Notifier: Sendable {
  /// How long a start may go on after it was last seen to get ahead, in microseconds.
  private static let startExtension: Int64 = 60_000_000

  /// How often the service manager wants to hear that the daemon lives, in microseconds; `nil` when it doesn't
  /// (sd_watchdog_enabled(3)).
  let watchdogInterval: UInt64?

  /// A notifier.
  public init() {
    var interval: UInt64 = 0
    watchdogInterval = sd_watchdog_enabled(0, &interval) > 0 && interval > 1 ? interval : nil
  }

  /// The log is being recovered, and so many bytes were read and written: the start takes longer than usual.
  func recovering(bytes: Int64) {
    send("EXTEND_TIMEOUT_USEC=\(Self.startExtension)\nSTATUS=Recovering the log, \(bytes >> 20) MiB read and written.")
  }

  /// The daemon serves.
  public func ready(status: String) { send("READY=1\nSTATUS=\(status)") }

  /// One line on how it stands.
  public func status(_ text: String) { send("STATUS=\(text)") }

  /// The loop turns, and the disk takes jobs.
  func alive() { send("WATCHDOG=1") }

  /// A reload begins; `ready(status:)` ends it.
  public func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())")
  }

  /// The daemon is about to end.
  public func stopping() { send("STOPPING=1\nSTATUS=Syncing the log.") }

  private func send(_ state: String) {
    // Nothing can be done where the manager is not there or does not listen.
    _ = sd_notify(0, state)
  }
}
