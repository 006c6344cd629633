import Glibc

/// The system's users and groups.
public enum Accounts {
  /// Returns the id of a user; `nil` for an unknown name (getpwnam(3)).
  public static func user(named name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

  /// Returns the id of a group; `nil` for an unknown name (getgrnam(3)).
  public static func group(named name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }

  /// Whether this process is in a group (getgroups(2)). An unknown group has no members.
  public static func isInGroup(named name: String) -> Bool {
    guard let group = group(named: name) else { return false }
    if getegid() == group { return true }
    let count = getgroups(0, nil)
    guard count > 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(count))
    return getgroups(count, &groups) > 0 && groups.contains(group)
  }

  /// Returns the name of a user; `nil` for an unknown id (getpwuid(3)).
  public static func userName(of id: UInt32) -> String? {
    getpwuid(id)?.pointee.pw_name.map { String(cString: $0) }
  }
}
