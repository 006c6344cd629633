import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Observer`, for toolbars and tools: states, changes, the log, and scrolling a client.
struct ObserverMethods {
  let sessions: Sessions
  let subscriptions: Subscriptions
  let commit: Commit
  let history: History
  let users: UserLimits
  let settings: Settings
  let clock: ServiceClock
  /// Returns the time in `received` of a time by the wall clock.
  let receivedTime: (Int64) -> Int64

  var table: [Method] {
    [
      Method("org.scrolld.Observer.List", .everyone, list),
      Method("org.scrolld.Observer.Get", .everyone, get),
      Method("org.scrolld.Observer.Explain", .everyone, explain),
      Method("org.scrolld.Observer.Subscribe", .everyone, subscribe),
      Method("org.scrolld.Observer.Read", .everyone, read),
      Method("org.scrolld.Observer.Sessions", .everyone, listSessions),
      Method("org.scrolld.Observer.Scroll", .everyone, scroll),
    ]
  }

  // MARK: Queries

  private func list(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    try parameters.finish()
    let user = filter(for: connection.peer, glob).onlyUser
    return .stream(
      StateListing(
        history, ReplyChannel(connection, call.token), of: user,
        sessionsPerTurn: SessionCursor.sessionsPerTurn(matching: glob)
      ) { glob.matches($0.client.name.text) })
  }

  private func get(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let user = try parameters.optionalUserID()
    let position = try parameters.optionalInt("position")
    let time = try parameters.optionalInt("time")
    try parameters.finish()
    let peer = connection.peer
    if let user, !settings.access.maySee(peer, clientsOf: user) { throw .permissionDenied }
    if let position {
      if position < 1 { throw .invalidParameter("position") }
      if position < history.firstPosition { throw ServiceError.positionTrimmed(first: history.firstPosition) }
    }
    let wanted = WantedClient(
      name: ClientName(name), user: user, peer: peer, seesEveryone: settings.access.maySeeEveryone(peer))
    let channel = ReplyChannel(connection, call.token)
    let received = time.map(receivedTime)
    return .stream(StateQuery(history, channel, wanted: wanted, position: position, time: received))
  }

  private func explain(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let user = try parameters.optionalUserID()
    try parameters.finish()
    let peer = connection.peer
    if let user, !settings.access.maySee(peer, clientsOf: user) { throw .permissionDenied }
    let wanted = WantedClient(
      name: ClientName(name), user: user, peer: peer, seesEveryone: settings.access.maySeeEveryone(peer))
    return .stream(
      StateQuery(
        history, ReplyChannel(connection, call.token), wanted: wanted, position: nil, time: nil, explains: true))
  }

  private func subscribe(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    let after = try parameters.optionalInt("after")
    let generation = try parameters.optionalInt("generation")
    let detail = try parameters.optionalString("detail")
    try parameters.finish()
    guard detail == nil || detail == "transitions" || detail == "frames" else { throw .invalidParameter("detail") }
    if let after { try history.check(after: after, generation: generation) }
    return .stream(
      try subscriptions.subscribe(
        ReplyChannel(connection, call.token), filter(for: connection.peer, glob), after: after,
        wantsFrames: detail == "frames"))
  }

  private func read(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let id = try parameters.optionalSessionID()
    let name = try parameters.optionalString("client").map(ClientName.init(_:))
    let user = try parameters.optionalUserID()
    let after = try parameters.optionalInt("after")
    let limit = try parameters.optionalInt("limit") ?? .max
    try parameters.finish()
    if limit < 1 { throw .invalidParameter("limit") }
    if let user, !settings.access.maySee(connection.peer, clientsOf: user) { throw .permissionDenied }
    if let after { try history.check(after: after, generation: nil) }

    var start = after ?? history.firstPosition - 1
    let filter = filter(for: connection.peer, Glob())
    // An open session has no records before its opening.
    if let id, let only = user ?? filter.onlyUser, let open = sessions[SessionName(user: only, id: id)],
      let session = history.horizon[open.id]
    {
      start = max(start, session.openedPosition - 1)
    }
    let listing = LogListing(history, ReplyChannel(connection, call.token), after: start, limit: limit) {
      stored, client in
      (id.map { SessionName(user: client.user, id: $0).mayName(stored) } ?? true)
        && (name == nil || client.name == name)
        && (user == nil || client.user == user) && filter.admits(client)
    }
    return .stream(listing)
  }

  private func listSessions(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    let user = try parameters.optionalUserID()
    let id = try parameters.optionalSessionID()
    let after = try parameters.optionalInt("after")
    try parameters.finish()
    if let user, !settings.access.maySee(connection.peer, clientsOf: user) { throw .permissionDenied }
    if let after { try history.check(after: after, generation: nil) }
    let filter = filter(for: connection.peer, glob)
    let isEverything = filter.seesEveryone && filter.glob.patterns.isEmpty && user == nil && id == nil && after == nil
    let onlyUser = filter.onlyUser ?? user
    let mayInclude: (SessionID, ClientID) -> Bool = { stored, client in
      (id.map { SessionName(user: client.user, id: $0).mayName(stored) } ?? true)
        && (onlyUser == nil || client.user == onlyUser)
    }
    let selection = SessionListing.Selection(
      onlyUser: onlyUser, isEverything: isEverything, mayInclude: mayInclude,
      includes: { mayInclude($0, $1) && filter.admits($1) },
      perStep: SessionCursor.sessionsPerTurn(matching: glob))
    return .stream(
      SessionListing(
        history, ReplyChannel(connection, call.token), after: after ?? history.firstPosition - 1, selection))
  }

  private func filter(for peer: Peer, _ glob: Glob) -> SubscriptionFilter {
    SubscriptionFilter(user: peer.user, seesEveryone: settings.access.maySeeEveryone(peer), glob: glob)
  }

  // MARK: Scroll

  private func scroll(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let user = try parameters.optionalUserID()
    let targetName = try parameters.string("target")
    let page = try parameters.optionalInt("page")
    let x = try parameters.optionalDouble("x")
    let y = try parameters.optionalDouble("y")
    try parameters.finish()
    let target = try Self.target(targetName, page: page, x: x, y: y)
    let peer = connection.peer
    let access = settings.access
    if let user, !access.mayScroll(peer, clientsOf: user) { throw .permissionDenied }
    let wanted = WantedClient(
      name: ClientName(name), user: user, peer: peer,
      seesEveryone: access.maySeeEveryone(peer) || access.mayManage(peer))
    let client = try wanted.choose(among: sessions.clients(named: wanted.name).filter(wanted.matches))
    // Permission to see a client does not include controlling it.
    guard access.mayScroll(peer, clientsOf: client.user) else { throw .permissionDenied }
    // A client with too many unanswered requests also counts as away.
    guard let session = sessions[client], sessions.acceptRequest(for: session) else { throw ServiceError.clientAway }
    users.charge(1, to: connection.share)
    let request = ScrollRequest(time: clock.wall(), target: target)
    commit.add(NewRecord(session: session.id, record: .request(request)))
    connection.feeder.lastPosition = commit.lastAccepted
    commit.answer(Caller(connection: connection.id, token: call.token), .requested(commit.lastAccepted))
    return .answered
  }

  private static func target(
    _ name: String, page: Int64?, x: Double?, y: Double?
  ) throws(VarlinkError) -> ScrollRequest.Target {
    if page != nil, name != "page" { throw .invalidParameter("page") }
    if x != nil, name != "offset" { throw .invalidParameter("x") }
    if y != nil, name != "offset" { throw .invalidParameter("y") }
    switch name {
    case "top": return .top
    case "bottom": return .bottom
    case "page":
      guard let page, page >= 0 else { throw .invalidParameter("page") }
      return .page(page)
    case "offset":
      guard let x else { throw .invalidParameter("x") }
      guard let y else { throw .invalidParameter("y") }
      return .offset(x: x, y: y)
    default: throw .invalidParameter("target")
    }
  }
}
