import CSystemd
import Platform

/// Notifies the service manager of the daemon's state, by sd_notify(3). Without a service manager it does nothing.
public struct Notifier: Sendable {
  /// How much more time a start requests with each report of its progress, in microseconds.
  private static let startExtension: Int64 = 60_000_000

  /// The timeout of the service manager's watchdog, in microseconds; `nil` without a watchdog (sd_watchdog_enabled(3)).
  package let watchdogInterval: UInt64?

  /// Creates a notifier.
  public init() {
    var interval: UInt64 = 0
    watchdogInterval = sd_watchdog_enabled(0, &interval) > 0 && interval > 1 ? interval : nil
  }

  /// Reports that the start takes longer, because of a recovery that has read and written a number of bytes.
  func recovering(bytes: Int64) {
    send("EXTEND_TIMEOUT_USEC=\(Self.startExtension)\nSTATUS=Recovering the log, \(bytes >> 20) MiB read and written.")
  }

  /// Reports that the daemon is ready to serve clients.
  public func ready(status: String) { send("READY=1\nSTATUS=\(status)") }

  /// Reports the daemon's state in one line.
  public func status(_ text: String) { send("STATUS=\(text)") }

  /// Feeds the watchdog.
  package func alive() { send("WATCHDOG=1") }

  /// Reports that a reload begins. ``ready(status:)`` ends it.
  public func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())")
  }

  /// Reports that the daemon is shutting down.
  public func stopping(status: String = "Syncing the log.") { send("STOPPING=1\nSTATUS=\(status)") }

  private func send(_ state: String) {
    // If no service manager listens, nothing can be done.
    _ = sd_notify(0, state)
  }
}
