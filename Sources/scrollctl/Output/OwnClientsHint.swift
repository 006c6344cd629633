import Platform
import ScrollClient

/// The hint that a user sees only their own clients, in the manner of journalctl's.
enum OwnClientsHint {
  /// The group of observers, unless the daemon's configuration names another one.
  private static let group = "scroll-observers"

  static let text =
    "You see only your own clients. Root and members of the group “\(group)”, or of the one in\n"
    + "ObserversGroup= of scrolld.conf, see everyone's:  sudo usermod --append --groups \(group) USER"

  /// Shows the hint on a terminal to a user whom it concerns.
  static func show(at address: ServiceAddress) {
    guard BorrowedDescriptor.standardError.isTerminal, concerns(address) else { return }
    Program.printNote("Hint: " + text)
  }

  /// Whether this process's user is neither root nor an observer, and the daemon is another user's.
  static func concerns(_ address: ServiceAddress) -> Bool {
    guard seesOnlyOwn else { return false }
    // A user's own daemon has no other clients.
    guard let socket = try? FileStatus(address.path), socket.owner != CurrentProcess.effectiveUser else { return false }
    return true
  }

  /// Whether this process's user is neither root nor in the group of observers.
  static var seesOnlyOwn: Bool { CurrentProcess.effectiveUser != 0 && !Accounts.isInGroup(named: group) }
}
