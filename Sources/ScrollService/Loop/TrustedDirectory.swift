import Platform

/// The check that no other user can put files into a directory that the daemon uses, or replace the directory.
///
/// A directory below `/tmp` is the usual case: somebody else may have made it before.
enum TrustedDirectory {
  /// The reason why a directory can't be trusted.
  struct Problem: Error, CustomStringConvertible {
    /// What the daemon would use it for: `the log`, `the socket`.
    let purpose: String
    let path: String
    let reason: String
    /// What to do.
    let fix: String

    var description: String { "cannot use \(path) for \(purpose): \(reason); \(fix)" }
  }

  /// Bits of a directory's mode.
  private enum Mode {
    static let writableByOthers: UInt32 = 0o002
    static let writableByGroup: UInt32 = 0o020
    /// Only its owner may remove or rename a file in the directory.
    static let sticky: UInt32 = 0o1000
  }

  /// Checks a directory and those above it. All must belong to root or to the daemon's user.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - purpose: What the daemon uses it for, for the message.
  ///   - allowsSticky: Whether others may make files of their own in it, as in `/tmp`. That is no harm to a socket that
  ///     the daemon has bound, but it is to a log.
  /// - Throws: ``Problem``, or `SystemError` when a directory can't be examined.
  static func check(_ path: String, for purpose: String, allowsSticky: Bool) throws {
    let resolved = try SystemError.wrapping("find", path) { () throws(Errno) in try Files.resolve(path) }
    var directory = resolved
    while true {
      let status = try SystemError.wrapping("look at", directory) { () throws(Errno) in try FileStatus(directory) }
      let isItself = directory == resolved
      let forbidden = isItself ? Mode.writableByOthers | Mode.writableByGroup : Mode.writableByOthers
      let isSticky = status.permissions & Mode.sticky != 0 && (allowsSticky || !isItself)
      if status.owner != 0, status.owner != CurrentProcess.effectiveUser {
        throw Problem(
          purpose: purpose, path: path, reason: "\(directory) belongs to user \(status.owner), who could change it",
          fix: "choose a directory of your own, such as one that “mktemp -d” makes")
      }
      if status.permissions & forbidden != 0, !isSticky {
        throw Problem(
          purpose: purpose, path: path, reason: "other users can write to \(directory)",
          fix: "run “chmod go-w \(directory)”, or choose another directory")
      }
      guard directory != "/", let slash = directory.lastIndex(of: "/") else { return }
      directory = slash == directory.startIndex ? "/" : String(directory[..<slash])
    }
  }
}
