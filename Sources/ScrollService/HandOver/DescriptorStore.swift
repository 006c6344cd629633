import CSystemd
import Platform

/// The service manager's store of descriptors for the next daemon (sd_pid_notify_with_fds(3), `FDSTORE=1`).
struct DescriptorStore: Sendable {
  /// The maximum number of descriptors.
  let capacity: Int

  /// Returns the service manager's store; `nil` if it has none.
  ///
  /// `$FDSTORE` is the maximum number of descriptors. systemd sets it since version 254; with older versions, the unit
  /// has to.
  static func ofServiceManager() -> DescriptorStore? {
    guard CurrentProcess.variable("NOTIFY_SOCKET") != nil,
      let capacity = CurrentProcess.variable("FDSTORE").flatMap({ Int($0) }), capacity > 1
    else { return nil }
    return DescriptorStore(capacity: capacity)
  }

  /// Adds a copy of a descriptor. The service manager removes it when the peer hangs up.
  func add(_ descriptor: Int32, as name: DescriptorName) throws(SystemError) {
    var descriptor = descriptor
    let result = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name.text)", &descriptor, 1)
    if result < 0 { throw SystemError("store", "a descriptor", Errno(rawValue: -result)) }
  }

  /// Removes the descriptors with a name.
  func remove(_ name: DescriptorName) {
    // A service manager that no longer listens keeps no descriptors either.
    _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name.text)")
  }
}
