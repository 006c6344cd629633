// Where the service manager keeps descriptors for the next daemon.

import CSystemd
import Platform

/// Where the service manager keeps copies of descriptors for the next daemon (sd_pid_notify_with_fds(3), `FDSTORE=1`).
struct DescriptorStore: Sendable {
  /// How many descriptors it takes.
  let capacity: Int

  /// The service manager's store; `nil` where there is none.
  ///
  /// `$FDSTORE` says how many descriptors it takes. systemd sets it since version 254; before, the unit has to.
  static func ofServiceManager() -> DescriptorStore? {
    guard CurrentProcess.variable("NOTIFY_SOCKET") != nil,
      let capacity = CurrentProcess.variable("FDSTORE").flatMap({ Int($0) }), capacity > 1
    else { return nil }
    return DescriptorStore(capacity: capacity)
  }

  /// Has a copy of a descriptor kept under a name. It is let go by itself when the peer hangs up.
  func keep(_ descriptor: Int32, as name: DescriptorName) throws(SystemError) {
    var descriptor = descriptor
    let result = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name.text)", &descriptor, 1)
    if result < 0 { throw SystemError("store", "a descriptor", Errno(rawValue: -result)) }
  }

  /// Has the copies of a name let go.
  func remove(_ name: DescriptorName) {
    // Where the manager doesn't listen any more it keeps nothing either.
    _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name.text)")
  }
}
