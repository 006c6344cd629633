import CSystemd
import Platform
import ScrollModel

/// Which machine a relay copies the log of.
public struct MachineIdentity: Equatable, Sendable {
  /// The application's id, from which the machine's is derived. It must never change.
  private static let application: [UInt8] = [
    0x5d, 0x1c, 0x8f, 0x0e, 0x77, 0x3b, 0x4c, 0x55, 0x9a, 0x42, 0x0b, 0xd9, 0x61, 0xe8, 0x2f, 0xa4,
  ]

  /// The id in the database.
  public let id: SessionID
  /// The name, for people.
  public let name: String

  /// Creates an identity from its parts.
  public init(id: SessionID, name: String) {
    self.id = id
    self.name = name
  }

  /// The identity that a configuration sets, or else that of the system: an id that nobody can take back to `/etc/machine-id`, and
  /// the host's name.
  ///
  /// - Throws: ``RelayProblem`` if the system has no id.
  public init(_ configuration: RelayConfiguration) throws(RelayProblem) {
    name = configuration.name ?? CurrentProcess.hostName
    if let machine = configuration.machine {
      id = machine
      return
    }
    var application = sd_id128_t()
    withUnsafeMutableBytes(of: &application) { $0.copyBytes(from: Self.application) }
    var found = sd_id128_t()
    let result = sd_id128_get_machine_app_specific(application, &found)
    if result < 0 {
      throw .configuration(
        "the machine has no id: \(Errno(rawValue: -result)); run systemd-machine-id-setup, or set Machine= in scroll-relay.conf"
      )
    }
    let halves = withUnsafeBytes(of: &found) { bytes in
      (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    id = SessionID(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
  }
}
