import Platform
import ScrollAnalysis
import ScrollClient
import ScrollModel

/// Plays a recording into a daemon's socket at its recorded pace, as a client would, and subscribes to what the daemon pushes.
struct DemoPlayer {
  let session: LoadedSession
  let client: String
  let speed: Double

  /// Plays the recording.
  ///
  /// - Returns: The session, which stays open, and the final model.
  func play(
    on daemon: DemoDaemon, _ view: DemoView, _ interruption: Interruption
  ) throws -> (session: SessionID, model: DemoModel) {
    let feeder = try ServiceConnection(daemon.address)
    let opened = try feeder.open(client: client, application: "scrollctl demo", title: session.title)
    var query = SubscriptionQuery()
    query.clients = [client]
    query.detail = .frames
    let replies = try ServiceConnection(daemon.address).subscribe(query)

    var clock = SessionClock()
    let times = session.events.map { clock.advance(to: $0.time) }
    var model = DemoModel(
      client: client, speed: speed, duration: clock.elapsed, totalEvents: session.events.count)
    if let first = session.events.first { model.begin(at: first.time) }
    let begin = ContinuousClock.now
    var number: Int64 = 0
    var last: Position = 0
    for (event, time) in zip(session.events, times) {
      let due = begin + .microseconds(Double(time) / speed)
      repeat {
        try interruption.check()
        daemon.drain()
        try take(replies, &model, view)
        model.elapsed = min(model.duration, Int64((ContinuousClock.now - begin) / .microseconds(1) * speed))
        try view.draw(model)
        try wait(for: replies.descriptor, until: due)
      } while ContinuousClock.now < due
      number += 1
      model.send(event)
      last = try feeder.append(CollectionOfOne(event), to: opened.session, number: number).position
    }
    try catchUp(replies, &model, view, to: last, interruption)
    model.elapsed = model.duration
    try view.draw(model, isLast: true)
    return (opened.session, model)
  }

  /// Takes all replies that have arrived.
  @discardableResult
  private func take(
    _ replies: ReplyStream<SubscriptionReply>, _ model: inout DemoModel, _ view: DemoView
  ) throws -> Position? {
    var position: Position?
    while case .element(let reply) = try replies.next(timeout: .zero) {
      position = reply.position
      if let pushed = model.receive(reply) { try view.show(pushed) }
    }
    return position
  }

  /// Waits until the subscription has reached the last event.
  private func catchUp(
    _ replies: ReplyStream<SubscriptionReply>, _ model: inout DemoModel, _ view: DemoView,
    to last: Position, _ interruption: Interruption
  ) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while (model.state?.position ?? 0) < last {
      try interruption.check()
      guard ContinuousClock.now < deadline else {
        throw Failure("the daemon did not push what happened at position \(last) within 10 s")
      }
      try wait(for: replies.descriptor, until: .now + DemoView.frameTime)
      try take(replies, &model, view)
    }
  }

  /// Waits for input until a moment, but at most for one frame.
  private func wait(for descriptor: Int32, until moment: ContinuousClock.Instant) throws {
    _ = try BorrowedDescriptor(descriptor).wait(for: .input, until: min(moment, .now + DemoView.frameTime))
  }
}
