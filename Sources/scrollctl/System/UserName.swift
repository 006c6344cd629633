// Users' names.

import Glibc

/// Users' names.
enum UserName {
  /// The name of a user id; the id itself where nobody has it.
  static func of(_ user: UInt32) -> String {
    guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return String(user) }
    return visible(String(cString: name))
  }
}
