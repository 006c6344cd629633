import Platform
import ScrollClient

/// Why a verb failed, with a hint about the fix if there is one.
struct Failure: Error, Equatable, CustomStringConvertible {
  var message: String
  /// Lines with the fix.
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  var description: String { message }
}

/// Hints about the fixes of errors that calls to the daemon end with.
enum Hints {
  /// A part of the log cannot be read.
  static let repair =
    "If “scrollctl verify” finds the damage, stop the daemon and run “scrollctl repair”: it makes the rest of the file readable."

  static func hint(for error: ServiceError) -> String? {
    switch error {
    case .cannotConnect(let address, let code): cannotConnect(address, code)
    case .refused(.permissionDenied):
      "To see other users' clients, be root or join the group scroll-observers. To manage the daemon, be root or a user\n"
        + "in Managers= of scrolld.conf. Where Feeders= is set there, only its users may send events."
    case .refused(.noSuchClient):
      "“scrollctl sessions” lists the clients that the log has."
        + (OwnClientsHint.seesOnlyOwn ? "\n" + OwnClientsHint.text : "")
    case .refused(.logDamaged(_, _, let next, let lost)):
      (next.map { "The next file begins at position \($0): “scrollctl log --after \($0 - 1)” shows it." } ?? "")
        + (lost == nil ? (next == nil ? "" : "\n") + repair : "")
    case .refused(.ambiguousClient): "Choose a user with --uid UID."
    case .refused(.badConfiguration(_, _, _, _, let others, let check)): badConfiguration(others, check)
    default: nil
    }
  }

  private static func badConfiguration(_ others: Int64, _ check: String?) -> String {
    guard let check else {
      return
        "“scrolld --check-config” lists everything that is wrong in the configuration. If the daemon was started with\n"
        + "--config FILE, give it the same option."
    }
    switch others {
    case 0: return "It is the only error. To check the configuration again:  \(check)"
    case 1: return "The configuration has 1 more error. To list both:  \(check)"
    default: return "The configuration has \(others) more errors. To list all:  \(check)"
    }
  }

  private static func cannotConnect(_ address: ServiceAddress, _ code: Int32) -> String? {
    switch Errno(rawValue: code) {
    case .permissionDenied: "You may not use this socket. It may belong to another user."
    case .noSuchFile, .connectionRefused:
      if let kind = (try? FileStatus(address.path))?.kind, kind != .socket {
        "\(address) is not a socket\(kind == .directory ? ", but a directory" : "")."
      } else if address == .system {
        "No daemon is running there. Start it:  systemctl start scrolld.socket\n"
          + "or run your own:  D=$(mktemp -d); scrolld --socket $D/socket --state-directory $D/log\n"
          + "and use its socket:  scrollctl --socket $D/socket …"
      } else if address == ServiceAddress.user() {
        "No daemon is running there. Start it:  systemctl --user start scrolld.socket"
      } else {
        "No daemon is running there. Start it:  scrolld --socket \(address) --state-directory DIR"
      }
    default: nil
    }
  }
}
