// The names of stored descriptors.

/// The name under which a descriptor is stored.
///
/// Names are short: all of them together become one variable of the environment, and with long ones no program can be
/// started any more (execve(2) takes 128 KiB a string).
enum DescriptorName: Hashable, Sendable {
  /// The table of states.
  case table
  /// The socket of the connection in a slot.
  case connection(slot: Int)

  /// What the unit of a socket would hardly call its descriptors.
  private static let prefix = "c."

  /// The name, of at most 12 bytes.
  var text: String {
    switch self {
    case .table: "c.table"
    case .connection(let slot): Self.prefix + String(slot, radix: 16)
    }
  }

  /// The name of a text; `nil` when it is none that the daemon gives.
  init?(_ text: String) {
    if text == DescriptorName.table.text {
      self = .table
      return
    }
    guard text.hasPrefix(Self.prefix), let slot = Int(text.dropFirst(Self.prefix.count), radix: 16), slot >= 0 else {
      return nil
    }
    self = .connection(slot: slot)
    // Each has one name only.
    guard self.text == text else { return nil }
  }
}
