// Users' names.

import Platform

/// Users' names.
enum UserName {
  /// The name of a user id; the id itself where nobody has it.
  static func of(_ user: UInt32) -> String {
    Accounts.userName(of: user).map(visible) ?? String(user)
  }
}
