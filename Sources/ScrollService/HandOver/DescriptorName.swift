/// The name of a descriptor in the service manager's store.
///
/// Names are short, since systemd passes all of them in one environment variable, and execve(2) fails if that exceeds
/// 128 KiB.
enum DescriptorName: Hashable, Sendable {
  /// The hand-over table.
  case table
  /// The socket of the connection in a slot.
  case connection(slot: Int)

  /// A prefix that the `FileDescriptorName=` of a socket unit is unlikely to have.
  private static let prefix = "c."

  /// The name, of at most 12 bytes.
  var text: String {
    switch self {
    case .table: "c.table"
    case .connection(let slot): Self.prefix + String(slot, radix: 16)
    }
  }

  /// Parses a name; `nil` when the daemon uses no such name.
  init?(_ text: String) {
    if text == DescriptorName.table.text {
      self = .table
      return
    }
    guard text.hasPrefix(Self.prefix), let slot = Int(text.dropFirst(Self.prefix.count), radix: 16), slot >= 0 else {
      return nil
    }
    self = .connection(slot: slot)
    // A slot has only one name: no leading zeros, no capital letters.
    guard self.text == text else { return nil }
  }
}
