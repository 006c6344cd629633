// How to put right what the daemon, or its absence, said.

import Glibc
import ScrollClient

/// How to put right what the daemon, or its absence, said.
enum Hints {
  static func hint(for error: ServiceError) -> String? {
    switch error {
    case .cannotConnect(let address, let code): cannotConnect(address, code)
    case .refused(.permissionDenied):
      "Others' clients are seen by root and members of the group scroll-observers; the daemon is managed by root and the\n"
        + "users that Managers= in scrolld.conf names."
    case .refused(.noSuchClient): "“scrollctl list” shows the clients with open sessions."
    case .refused(.ambiguousClient): "Give --uid UID."
    default: nil
    }
  }

  private static func cannotConnect(_ address: ServiceAddress, _ code: Int32) -> String? {
    switch code {
    case EACCES: "You may not use this socket. Is it another user's?"
    case ENOENT, ECONNREFUSED:
      if address == .system {
        "No daemon runs there. Start it:  systemctl start scrolld.socket\n"
          + "or run one for yourself:  scrolld --socket /tmp/scrolld.socket --state-directory /tmp/scrolld\n"
          + "and say where it is:  scrollctl --socket /tmp/scrolld.socket …"
      } else if address == ServiceAddress.user() {
        "No daemon runs there. Start it:  systemctl --user start scrolld.socket"
      } else {
        "No daemon runs there. Start it:  scrolld --socket \(address) --state-directory DIR"
      }
    default: nil
    }
  }
}
