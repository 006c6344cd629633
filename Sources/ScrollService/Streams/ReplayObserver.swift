// Sends one subscriber what the log holds, as it is folded again.

import ScrollLog
import ScrollModel
import Varlink

/// Sends one subscriber what the log holds behind its position, as it is folded again.
struct ReplayObserver: ProjectionObserver {
  private let service: Service
  private let subscription: Subscription
  private let connection: Connection
  private let sendsFrames: Bool
  private let after: Position

  init(_ service: Service, _ subscription: Subscription, _ connection: Connection, sendsFrames: Bool) {
    self.service = service
    self.subscription = subscription
    self.connection = connection
    self.sendsFrames = sendsFrames
    after = subscription.position
  }

  mutating func opened(_ session: Session, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    service.shared.removeAll()
    SubscriptionMessage.opened(session, at: place, to: &service.shared)
    service.sendShared(subscription.token, connection)
  }

  mutating func stepped(
    _ session: Session, _ event: Event, number: Int64, _ step: Policy.Step, at place: RecordPlace
  ) {
    guard place.position > after, sendsFrames || !step.changed.isEmpty || subscription.wantsFrames,
      subscription.watches(session)
    else { return }
    if !step.changed.isEmpty {
      service.shared.removeAll()
      SubscriptionMessage.transition(session, step, at: place, to: &service.shared)
      service.sendShared(subscription.token, connection)
    }
    if sendsFrames {
      service.shared.removeAll()
      SubscriptionMessage.state(session, at: place.position, of: place.position, to: &service.shared)
      service.sendShared(subscription.token, connection)
    } else if subscription.wantsFrames {
      subscription.owe(frameOf: session.id)
    }
  }

  mutating func requested(_ session: Session, _ request: ScrollRequest, at place: RecordPlace) {}

  mutating func responded(_ session: Session, _ response: ScrollResponse, at place: RecordPlace) {}

  mutating func closed(_ session: Session, _ closing: Closing, at place: RecordPlace) {
    guard place.position > after, subscription.watches(session) else { return }
    service.shared.removeAll()
    SubscriptionMessage.closed(session, closing, at: place, to: &service.shared)
    service.sendShared(subscription.token, connection)
    subscription.forget(session.id)
  }
}
