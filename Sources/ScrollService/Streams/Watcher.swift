// A live subscription's entry in the list of those who watch a session.

/// A live subscription's entry in the list of those who watch a session.
///
/// A subscription that stops being live leaves its entries behind, for it may watch every session: they count no more,
/// and are swept out all together now and then.
struct Watcher {
  let subscription: Subscription
  private let term: Int

  /// An entry of a subscription that has just become live.
  init(_ subscription: Subscription) {
    self.subscription = subscription
    term = subscription.liveTerm
  }

  /// Whether the subscription has been live ever since.
  var counts: Bool { subscription.isLive && subscription.liveTerm == term }
}
