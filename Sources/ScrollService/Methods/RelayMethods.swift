import JSON
import ScrollLog
import ScrollModel
import Varlink

/// The methods of `org.scrolld.Relay`, for relays that copy the log to a server.
struct RelayMethods {
  /// How many sessions a call to `Forgotten` may ask about.
  static let maximumCandidates = 4096

  let followers: Followers
  let history: History

  var table: [Method] {
    [
      Method("org.scrolld.Relay.Follow", .relays, follow),
      Method("org.scrolld.Relay.Forgotten", .relays, forgotten),
    ]
  }

  private func follow(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    try call.requireMore()
    var parameters = call.parameters()
    let glob = try Glob(&parameters)
    let given = try parameters.optionalInt("after") ?? 0
    let generation = try parameters.optionalInt("generation")
    let received = try parameters.optionalInt("received")
    let run = try parameters.optionalString("run")
    try parameters.finish()
    if given < 0 { throw .invalidParameter("after") }

    var after = given
    // A generation that the log never had was not this log's. Then nothing is shared that could be continued.
    if let generation, given > 0 {
      guard let shared = history.generations.lastPosition(sharedWith: generation) else {
        throw ServiceError.otherHistory(position: given, received: history.horizon.received)
      }
      after = min(given, shared)
    }
    if after > followers.durable { throw ServiceError.noSuchPosition(last: followers.durable) }
    // This run is the one after those that the caller may know.
    let currentRun = followers.recordRun()
    // Where the log still has the record, the stream checks that.
    let hasRecord = after == given && received != nil && after >= history.firstPosition
    if given > 0, !hasRecord, let generation, let run {
      let place = FollowedRuns.Place(
        position: given, generation: generation, received: received, run: SessionID(run))
      guard try followers.sent(place) else {
        throw ServiceError.otherHistory(position: given, received: history.horizon.received)
      }
    }
    let channel = ReplyChannel(connection, call.token)
    try followers.begin(channel.account)
    return .stream(
      FollowStream(
        followers, history, channel,
        FollowStream.Request(
          glob: glob, after: after, received: after < given ? nil : received, isTakenBack: after < given,
          run: currentRun)))
  }

  private func forgotten(_ call: Call, _ connection: Connection) throws(VarlinkError) -> Method.Outcome {
    var parameters = call.parameters()
    let candidates = try parameters.array("sessions")
    try parameters.finish()
    guard candidates.count <= Self.maximumCandidates else {
      throw ServiceError.tooManyCandidates(limit: Self.maximumCandidates)
    }
    let selection = try followers.knownForgotten().selection
    var found: [SessionID] = []
    for value in candidates {
      let candidate = try Candidate(value)
      if selection.includes(candidate.given ?? candidate.id, of: candidate.client, received: candidate.received) {
        found.append(candidate.id)
      }
    }
    connection.reply(call.token) { $0.member("forgotten", found) }
    return .answered
  }

  /// A session that may have been forgotten.
  private struct Candidate {
    let id: SessionID
    let given: SessionID?
    let client: ClientID
    let received: Int64

    init(_ value: JSONValue) throws(VarlinkError) {
      guard let object = value.asObject else { throw .invalidParameter("sessions") }
      guard let id = object["session"]?.asText.flatMap({ SessionID(digits: $0.bytes) }),
        let name = object["client"]?.asString, let user = object["user"]?.asInt64.flatMap({ UInt32(exactly: $0) }),
        let received = object["received"]?.asInt64
      else { throw .invalidParameter("sessions") }
      given = object["given"]?.asText.flatMap { SessionID(digits: $0.bytes) }
      self.id = id
      client = ClientID(user: user, name: name)
      self.received = received
    }
  }
}
