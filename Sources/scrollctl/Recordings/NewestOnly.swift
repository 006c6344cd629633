import ScrollClient
import ScrollModel

/// The clients that were named, and of which only the newest session was taken.
struct NewestOnly {
  /// A client's newest session.
  struct Place {
    var client: String
    var user: UInt32
    var session: SessionID
  }

  private let invocation: Invocation
  private var places: [Place] = []

  init(_ invocation: Invocation) { self.invocation = invocation }

  mutating func add(_ place: Place) { places.append(place) }

  /// The client of which a session is the newest; `nil` if it was found by another name.
  func client(of session: SessionID) -> String? { places.first { $0.session == session }?.client }

  /// Reports which of the clients have sessions that were not taken.
  ///
  /// - Parameter taken: The sessions that were taken, by whatever argument.
  func warn(taken: Set<SessionID>) { for note in notes(taken: taken) { Program.warn(note.message, hint: note.hint) } }

  /// Returns what to report about each of the clients that have sessions that were not taken.
  func notes(taken: Set<SessionID>) -> [Failure] {
    places.compactMap { place in
      let (client, id) = (place.client, place.session)
      guard taken.contains(id) else { return nil }
      var others: [SessionID] = []
      // What cannot be listed, such as by an older daemon, cannot be reported.
      try? invocation.connect().everySession(clients: [client], user: place.user) { summary in
        if summary.client == client, summary.session != id { others.append(summary.session) }
      } damaged: { _, _ in
      }
      guard others.contains(where: { !taken.contains($0) }) else { return nil }
      return Failure(
        "“\(client)” has \(others.count + 1) sessions, of which only the newest is taken: \(id.suffixed(to: client))",
        hint: "“scrollctl sessions \(client)” lists them"
          + (Self.pattern(for: client).map { "; the pattern “\($0)” takes them all." } ?? "."))
    }
  }

  /// A pattern that matches only this client: `[r]eader`.
  private static func pattern(for client: String) -> String? {
    guard let index = client.firstIndex(where: { $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
    return client[..<index] + "[\(client[index])]" + client[client.index(after: index)...]
  }
}
