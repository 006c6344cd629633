import Glibc

/// The system's users and groups.
public enum Accounts {
  /// Returns the id of a user; `nil` for an unknown name (getpwnam(3)).
  public static func user(named name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

  /// Returns the id of a group; `nil` for an unknown name (getgrnam(3)).
  public static func group(named name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }

  /// Returns the name of a user; `nil` for an unknown id (getpwuid(3)).
  public static func userName(of id: UInt32) -> String? {
    getpwuid(id)?.pointee.pw_name.map { String(cString: $0) }
  }
}
