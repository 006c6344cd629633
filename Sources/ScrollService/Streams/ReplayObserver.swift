// Sends one subscriber what the log holds, as it is folded again.

import ScrollLog
import ScrollModel
import Varlink

/// Sends one subscriber what the log holds behind its position, as it is folded again.
struct ReplayObserver: ProjectionObserver {
  private let subscription: Subscription
  private let connection: Connection
  private let sendsFrames: Bool
  private let after: Position
  private var buffer = ByteBufferBox()

  init(_ subscription: Subscription, _ connection: Connection, sendsFrames: Bool) {
    self.subscription = subscription
    self.connection = connection
    self.sendsFrames = sendsFrames
    after = subscription.position
  }

  mutating func opened(_ session: Session, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    send { SubscriptionMessage.opened(session, at: place, to: &$0) }
  }

  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    guard place.position > after, sendsFrames || !step.changed.isEmpty || subscription.wantsFrames,
      subscription.watches(session)
    else { return }
    if !step.changed.isEmpty { send { SubscriptionMessage.transition(session, step, at: place, to: &$0) } }
    if sendsFrames {
      send { SubscriptionMessage.state(session, at: place.position, of: place.position, to: &$0) }
    } else if subscription.wantsFrames {
      subscription.owe(frameOf: session.id)
    }
  }

  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}

  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}

  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    send { SubscriptionMessage.closed(session, closing, at: place, to: &$0) }
    subscription.forget(session.id)
  }

  private func send(_ write: (inout ByteBuffer) -> Void) {
    buffer.bytes.removeAll()
    write(&buffer.bytes)
    buffer.bytes.withUnsafeReadableBytes {
      _ = connection.varlink.reply(subscription.token, continues: true, encoded: $0)
    }
  }
}

/// A buffer that several messages use in turn.
private final class ByteBufferBox {
  var bytes = ByteBuffer()
}
