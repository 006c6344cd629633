// Tells the service manager how the daemon stands.

import CSystemd
import Glibc

/// Tells the service manager how the daemon stands, by sd_notify(3). Without one it says nothing.
public struct Notifier {
  /// A notifier.
  public init() {}

  /// The daemon serves.
  public func ready(status: String) { send("READY=1\nSTATUS=\(status)") }

  /// One line on how it stands.
  public func status(_ text: String) { send("STATUS=\(text)") }

  /// A reload begins; `ready(status:)` ends it.
  public func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  /// The daemon is about to end.
  public func stopping() { send("STOPPING=1\nSTATUS=Syncing the log.") }

  private func send(_ state: String) {
    // Nothing can be done where the manager is not there or does not listen.
    _ = sd_notify(0, state)
  }
}
