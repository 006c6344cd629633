// What a watch tells.

import ScrollModel

/// What a watch tells.
public enum WatchNews: Equatable, Sendable {
  /// The daemon tells something.
  case reply(SubscriptionReply)
  /// The subscription stands. With a position what follows goes on behind it, without a gap or a repeat; without one
  /// the present states follow, and what was known before is to be forgotten.
  case connected(after: Position?)
  /// The daemon is away; told once, however many attempts to connect follow.
  case away(ServiceError)
  /// One can't go on from the last position: it was taken back (`positionTakenBack`), the log no longer reaches back
  /// so far (`positionTrimmed`), it is another log (`noSuchPosition`), or what is needed is damaged (`logDamaged`).
  /// What happened in between is not told; the present follows.
  case placeLost(ServiceRefusal)
  /// The daemon refused the subscription. It is tried again, later each time.
  case refused(ServiceRefusal)
}
