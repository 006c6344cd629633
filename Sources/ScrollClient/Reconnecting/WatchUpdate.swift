import ScrollModel

/// What a watch reports to its owner.
public enum WatchUpdate: Equatable, Sendable {
  /// A reply of the daemon.
  case reply(SubscriptionReply)
  /// The subscription is established. With a position, it continues after it without a gap or a repetition. Without one, the
  /// current states follow, and what you knew before is out of date.
  case connected(after: Position?)
  /// The daemon is away. Reported once, however many attempts to connect follow.
  case away(ServiceError)
  /// The watch cannot continue from its position: a crash took it back (`positionTakenBack`), the log no longer has it
  /// (`positionTrimmed`), the log is another one (`noSuchPosition`), or it is damaged (`logDamaged`). What happened in between
  /// is not reported; the current states follow.
  case positionLost(ServiceRefusal)
  /// The daemon refused the subscription. The watch tries again, each time after a longer wait.
  case refused(ServiceRefusal)
}
