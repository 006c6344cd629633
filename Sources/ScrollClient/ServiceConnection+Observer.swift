// What subscribers call: org.scrolld.Observer.

import ScrollJSON
import ScrollModel
import Varlink

extension ServiceConnection {
  /// The states of all open sessions.
  ///
  /// - Parameter clients: Globs over client names; every client that the caller may see when there are none.
  /// - Throws: ``ServiceError``.
  public func list(clients: [String] = []) throws(ServiceError) -> [StateReport] {
    let replies = try ReplyStream(self, "org.scrolld.Observer.List") { writer in
      if !clients.isEmpty { writer.member("clients", clients) }
    } _: { (members) throws(ReplyMembers.Unexpected) -> StateReport? in
      // One reply without a state says that there is none.
      guard let state = members.members("state") else { return nil }
      return try StateReport(state)
    }
    var states: [StateReport] = []
    while case .reply(let state) = try replies.next() {
      if let state { states.append(state) }
    }
    return states
  }

  /// The state of a client's newest session, open or closed: now, or as it was.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - user: The client's user id; the caller's own, or else the only user's who has a client of this name.
  ///   - moment: When; now when it is `nil`.
  /// - Throws: ``ServiceError``; refusals are `noSuchClient`, `ambiguousClient`, `noSuchPosition`, `positionTrimmed` and
  ///   `logDamaged`.
  public func state(
    of client: String, user: UInt32? = nil, at moment: LogMoment? = nil
  ) throws(ServiceError) -> StateReport {
    try call("org.scrolld.Observer.Get") { writer in
      writer.member("client", client)
      writer.member("user", ifPresent: user)
      switch moment {
      case .position(let position): writer.member("position", position)
      case .time(let time): writer.member("time", time)
      case nil: break
      }
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try StateReport(members.require("state", members.members("state")))
    }
  }

  /// Subscribes to what happens. The connection is the stream's from now on.
  ///
  /// - Throws: ``ServiceError``; the stream's refusals are `noSuchPosition`, `positionTrimmed`, `positionTakenBack` and
  ///   `logDamaged`.
  public func subscribe(_ query: SubscriptionQuery) throws(ServiceError) -> ReplyStream<SubscriptionReply> {
    try ReplyStream(self, "org.scrolld.Observer.Subscribe", query.writeMembers) {
      (members) throws(ReplyMembers.Unexpected) in try SubscriptionReply(members)
    }
  }

  /// Reads the log's records, in order. The connection is the stream's until it has ended.
  ///
  /// - Returns: The records; `nil` is the one reply that says that there is none.
  /// - Throws: ``ServiceError``; the stream's refusals are `noSuchClient`, `positionTrimmed` and `logDamaged`.
  public func read(_ query: LogQuery) throws(ServiceError) -> ReplyStream<LogEntry?> {
    try ReplyStream(self, "org.scrolld.Observer.Read", query.writeMembers) {
      (members) throws(ReplyMembers.Unexpected) in try LogEntry(members)
    }
  }

  /// Asks a client to scroll. What it makes of that is a response record of its session, which ``LogFollower`` finds.
  ///
  /// - Parameters:
  ///   - client: The client's name.
  ///   - user: The client's user id; the caller's own, or else the only user's who has a client of this name.
  ///   - target: Where to; pages count from 0.
  /// - Returns: The position of the request, by which its response names it.
  /// - Throws: ``ServiceError``; refusals are `noSuchClient`, `ambiguousClient`, `clientAway`, `permissionDenied` and
  ///   `noSpace`.
  public func scroll(
    _ client: String, user: UInt32? = nil, to target: ScrollRequest.Target
  ) throws(ServiceError) -> Position {
    try call("org.scrolld.Observer.Scroll") { writer in
      writer.member("client", client)
      writer.member("user", ifPresent: user)
      target.writeMembers(to: &writer)
    } _: { (members) throws(ReplyMembers.Unexpected) in
      try members.require("position", members.int("position"))
    }
  }
}
