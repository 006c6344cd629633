import JSON
import ScrollLog
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
  var size: Int { 128 + (message?.size ?? 0) + (frame?.size ?? 0) }
}

/// A message that is encoded once, for all subscribers, when the first of them gets it. So a block of changes costs little when
/// it is folded, and the encoding is part of its subscribers' turns.
final class PushMessage {
  /// What the message reports.
  enum Content {
    case opened
    case closed(Closing)
    case transition(FoldState, Policy.Step)
    case state(FoldState)
  }

  /// How much memory a message takes before it is encoded, in bytes.
  private static let baseSize = 64 + MemoryLayout<Content>.size

  private let content: Content
  private let session: Session
  private let place: RecordPlace
  private var encoded: [UInt8]?

  /// Creates a message from a session as it is now.
  init(_ content: Content, of session: Session, at place: RecordPlace) {
    self.content = content
    self.session = session
    self.place = place
  }

  /// How much memory it takes at most while it waits, in bytes. The session, which has the texts of its opening, is counted
  /// elsewhere.
  var size: Int { Self.baseSize }

  /// Whether the next subscriber waits for the encoding.
  var isEncoded: Bool { encoded != nil }

  /// The parameters of the reply, an object.
  var bytes: [UInt8] {
    if let encoded { return encoded }
    let bytes = JSONWriter.encode { writer in
      writer.beginObject()
      switch content {
      case .opened: SubscriptionMessage.writeOpened(session, at: place, to: &writer)
      case .closed(let closing): SubscriptionMessage.writeClosed(session, closing, at: place, to: &writer)
      case .transition(let state, let step):
        SubscriptionMessage.writeTransition(state, step, of: session, at: place, to: &writer)
      case .state(let state): SubscriptionMessage.writeState(state, of: session, at: place, to: &writer)
      }
      writer.endObject()
    }
    encoded = bytes
    return bytes
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
