import JSON
import ScrollModel

/// A change that is to be pushed to the live subscriptions of one user that watch its session.
struct Push {
  enum Kind {
    case opened
    case changed
    case closed
  }

  let kind: Kind
  let position: Position
  /// The number of the block that the record is in.
  let block: Int64
  let watchers: SessionWatchers
  /// What every watcher gets; `nil` if nothing changed.
  let message: PushMessage?
  /// What watchers that want frames get in addition.
  let frame: PushMessage?

  /// How much memory it takes at most, in bytes.
  var size: Int { 128 + (message?.bytes.count ?? 0) + (frame?.bytes.count ?? 0) }
}

/// A message that is encoded once, for all subscribers.
final class PushMessage {
  /// The parameters of the reply, an object.
  let bytes: [UInt8]

  init(_ members: (inout JSONWriter) -> Void) {
    bytes = JSONWriter.encode { writer in
      writer.beginObject()
      members(&writer)
      writer.endObject()
    }
  }
}

/// An entry for a live subscription in the list of a session's watchers.
///
/// When a subscription stops being live, its entries become void but stay in the lists, because it may watch every session. From
/// time to time they are removed together.
struct Watcher {
  let subscription: Subscription
  private let term: Int

  init(_ subscription: Subscription) {
    self.subscription = subscription
    term = subscription.liveTerm
  }

  /// Whether the subscription has been live since the entry was made.
  var isValid: Bool { subscription.isLive && subscription.liveTerm == term }
}
