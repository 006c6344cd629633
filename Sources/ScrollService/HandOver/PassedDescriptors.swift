import CSystemd
import Platform

/// The descriptors that the service manager passed to the daemon: sockets to listen on, and those that the previous
/// daemon stored.
///
/// They have no owners yet.
struct PassedDescriptors: Sendable {
  /// The descriptors that no daemon stored.
  var listening: [Int32] = []
  /// The previous daemon's tables; more than one only after a failure.
  var tables: [Int32] = []
  /// The sockets of connections, and their slots.
  var connections: [(slot: Int, descriptor: Int32)] = []

  /// Takes the descriptors of sd_listen_fds_with_names(3), and hides them from child processes.
  ///
  /// - Throws: ``SystemError``.
  static func take() throws(SystemError) -> PassedDescriptors {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    if count < 0 { throw SystemError("take over descriptors", Errno(rawValue: -count)) }
    defer { Memory.free(names) }
    var passed = PassedDescriptors()
    for index in 0..<Int(count) {
      let name = names?[index]
      defer { Memory.free(name) }
      passed.add(SD_LISTEN_FDS_START + Int32(index), named: name.map { String(cString: $0) } ?? "")
    }
    return passed
  }

  /// Adds a descriptor, whose name determines its kind.
  mutating func add(_ descriptor: Int32, named name: String) {
    switch DescriptorName(name) {
    case nil: listening.append(descriptor)
    case .table: tables.append(descriptor)
    case .connection(let slot): connections.append((slot, descriptor))
    }
  }
}
