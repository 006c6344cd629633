import ScrollModel

/// A session as its user calls it. Another user may have a session with the same id.
struct SessionName: Hashable {
  let user: UInt32
  let id: SessionID

  /// The first half of an alias's first half: "scrl". The daemon assigns no such id.
  private static let mark: UInt64 = 0x7363_726c

  /// The id under which the log has the session, if it can't have it under its own: another user's session has that, or it
  /// looks like an alias.
  ///
  /// It contains the user, so that no user can occupy another's, and no user can give an id that the log keeps as it is and
  /// that is an alias.
  var alias: SessionID {
    SessionID(high: Self.mark << 32 | UInt64(user), low: id.low ^ (id.high &* 0x9E37_79B9_7F4A_7C15))
  }

  /// Returns whether an id looks like an alias.
  static func isAlias(_ id: SessionID) -> Bool { id.high >> 32 == mark }

  /// Returns whether this may be what the user calls the session that the log has under an id.
  func mayName(_ stored: SessionID) -> Bool { stored == alias || stored == id && !Self.isAlias(id) }
}
