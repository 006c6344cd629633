// org.scrolld.Observer: the present, the past, what happens, and the log itself.

import ScrollJSON
import ScrollLog
import ScrollModel
import Varlink

extension Service {
  func list(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    try parameters.finish()
    let sees = visibility(for: connection.peer)
    return begin(
      StateListing(token: call.token) { sees($0.client) && glob.matches($0.client.name) }, on: connection)
  }

  func get(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let user = try userID(&parameters)
    let position = try parameters.optionalInt("position")
    let time = try parameters.optionalInt("time")
    try parameters.finish()
    let peer = connection.peer
    if let user, !access.maySee(peer, clientsOf: user) { throw .permissionDenied }
    let wanted = WantedClient(name: name, user: user, peer: peer, seesEveryone: access.maySeeEveryone(peer))
    if let position {
      if position < 1 { throw .invalidParameter("position") }
      if position < segments.firstPosition { throw ServiceError.positionTrimmed(first: segments.firstPosition) }
    }
    return begin(
      StateQuery(token: call.token, wanted: wanted, position: position, time: time), on: connection)
  }

  func subscribe(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    let after = try parameters.optionalInt("after")
    let generation = try parameters.optionalInt("generation")
    let detail = try parameters.optionalString("detail")
    try parameters.finish()
    guard detail == nil || detail == "transitions" || detail == "frames" else { throw .invalidParameter("detail") }
    if let after { try check(after: after, generation: generation) }
    let user = connection.peer.user
    let limit = configuration.maximumSubscriptionsPerUser
    if user != 0, subscriptionsPerUser[user, default: 0] >= limit {
      throw ServiceError.tooManySubscriptions(limit: limit)
    }
    let subscription = Subscription(
      token: call.token, connection: connection, seesEveryone: access.maySeeEveryone(connection.peer), glob: glob,
      after: after, wantsFrames: detail == "frames", horizon: projection.position)
    subscriptionsPerUser[user, default: 0] += 1
    return begin(subscription, on: connection)
  }

  func read(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    try call.requireMore()
    var parameters = call.parameters()
    let sessionText = try parameters.optionalText("session")
    let name = try parameters.optionalString("client")
    let user = try userID(&parameters)
    let after = try parameters.optionalInt("after")
    let limit = try parameters.optionalInt("limit") ?? .max
    try parameters.finish()
    let id = sessionText.flatMap { SessionID(digits: $0.bytes) }
    if sessionText != nil, id == nil { throw .invalidParameter("session") }
    if limit < 1 { throw .invalidParameter("limit") }
    if let user, !access.maySee(connection.peer, clientsOf: user) { throw .permissionDenied }
    if let after { try check(after: after, generation: nil) }

    var start = after ?? segments.firstPosition - 1
    // Before an open session began there is nothing of it.
    if let id, let session = projection.sessions[id] { start = max(start, session.openedPosition - 1) }
    let sees = visibility(for: connection.peer)
    let listing = LogListing(token: call.token, after: start, limit: limit) { session, client in
      (id == nil || session == id) && (name == nil || client.name == name)
        && (user == nil || client.user == user) && sees(client)
    }
    return begin(listing, on: connection)
  }

  func scroll(_ call: Call, _ connection: Connection) throws(VarlinkError) -> NextCall {
    var parameters = call.parameters()
    let name = try parameters.string("client")
    let user = try userID(&parameters)
    let targetName = try parameters.string("target")
    let page = try parameters.optionalInt("page")
    let x = try parameters.optionalDouble("x")
    let y = try parameters.optionalDouble("y")
    try parameters.finish()
    let target = try Self.target(targetName, page: page, x: x, y: y)
    let peer = connection.peer
    if let user, !access.mayScroll(peer, clientsOf: user) { throw .permissionDenied }
    let wanted = WantedClient(
      name: name, user: user, peer: peer, seesEveryone: access.maySeeEveryone(peer) || access.mayManage(peer))
    let client = try wanted.choose(among: intakeClients.keys.filter(wanted.matches))
    // To see a client is not to control it.
    guard access.mayScroll(peer, clientsOf: client.user) else { throw .permissionDenied }
    // Who leaves so many requests unanswered is not there either.
    guard let session = intakeClients[client], session.requestStream != nil,
      session.requestCount < Self.maximumRequests
    else { throw ServiceError.clientAway }
    charge(1, to: connection)
    session.acceptRequest()
    builder.append(ScrollRequest(time: clock.wall(), target: target), of: session.id)
    connection.lastPosition = builder.nextPosition - 1
    answer(call.token, connection, .scroll(position: builder.nextPosition - 1))
    return .mayFollow
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

  // MARK: Parts

  /// Ends a call that needs records which can't be read.
  func fail(_ token: CallToken, _ connection: Connection, _ error: ReadError) {
    let answer: VarlinkError
    switch error {
    case .positionTrimmed(let first): answer = ServiceError.positionTrimmed(first: first)
    case .logDamaged(let damage):
      let next = segments.firstPosition(behind: damage.file)
      answer = ServiceError.logDamaged(file: damage.file, offset: damage.offset, next: next)
    case .file(let error):
      answer = ServiceError.logDamaged(file: error.path, offset: 0, next: segments.firstPosition(behind: error.path))
    }
    if case .positionTrimmed = error {} else { journal.log(.readFailed(error)) }
    connection.varlink.reply(token, error: answer)
  }

  /// A walk through the log that has come to a position, or not quite.
  func walk(from position: Position) throws(ReadError) -> LogWalk {
    // One that stands before the position's segment is further away than that one's checkpoint, and from there to here something
    // may be damaged, or gone.
    let first = segments.segment(of: position + 1) ?? segments.firstPosition
    if let recent = recent.latest(through: position), recent.position >= first - 1 {
      return LogWalk(segments, from: recent)
    }
    return try walk(fromCheckpointBefore: position)
  }

  /// A walk through the log that begins at the last checkpoint at or before a position.
  func walk(fromCheckpointBefore position: Position) throws(ReadError) -> LogWalk {
    let walk = try LogWalk(segments, from: position)
    if let version = walk.refoldedVersion, refoldingSaid.insert(version).inserted {
      journal.log(.refolding(version: version, before: position))
    }
    return walk
  }

  /// Whose sessions a peer sees.
  private func visibility(for peer: Peer) -> (ClientID) -> Bool {
    let seesEveryone = access.maySeeEveryone(peer)
    return { seesEveryone || $0.user == peer.user }
  }

  private func userID(_ parameters: inout ParameterReader) throws(VarlinkError) -> UInt32? {
    guard let user = try parameters.optionalInt("user") else { return nil }
    guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
    return id
  }

  /// Checks a position behind which somebody wants to read on.
  private func check(after: Position, generation: Int64?) throws(VarlinkError) {
    if after < 0 { throw .invalidParameter("after") }
    if let generation {
      // A generation that this log never had has nothing in common with it.
      let shared = generations.lastPosition(sharedWith: generation) ?? 0
      if after > shared { throw ServiceError.positionTakenBack(last: shared) }
    }
    if after < segments.firstPosition - 1 { throw ServiceError.positionTrimmed(first: segments.firstPosition) }
    // What is not committed yet nobody was told of.
    if after > projection.position { throw ServiceError.noSuchPosition(last: projection.position) }
  }
}
