import ScrollLog
import ScrollModel
import ScrollTesting

/// Clients that open, scroll, answer and close at random. What they send depends on the seed and on what is stored alone, so
/// that they go on after a crash from what the log says.
struct Clients: Sendable {
  private static let names = ["reader/window-1", "feed/ä", "pager", "x"]
  /// The client that is forgotten from time to time. Its name occurs only in its sessions.
  static let forgettable: ClientName = "forget/me"

  private var random: SeededRandom
  private var received: Int64
  private var requests: [(session: SessionID, position: Position)] = []

  init(seed: UInt64, received: Int64 = 1_700_000_000_000_000) {
    random = SeededRandom(seed: seed)
    self.received = received
  }

  /// Puts some calls into a builder and ends the block.
  mutating func block(_ builder: inout BlockBuilder, calls: Int, _ ledger: inout Ledger) throws -> Block {
    received += Int64(random.whole(0...1_000))
    repeat {
      for _ in 0..<calls { call(&builder, &ledger) }
      // An answer that finds no request adds nothing.
    } while builder.isEmpty
    return try finish(&builder)
  }

  /// Closes the sessions of the client that is to be forgotten, and ends the block if there are any.
  mutating func closeForgettable(_ builder: inout BlockBuilder, _ ledger: inout Ledger) throws -> Block? {
    for (id, standing) in Self.open(ledger) where standing.opening.client.name == Self.forgettable {
      close(id, .forgotten, &builder, &ledger)
    }
    return builder.isEmpty ? nil : try finish(&builder)
  }

  private func finish(_ builder: inout BlockBuilder) throws -> Block {
    guard let block = builder.finish(received: received) else { throw Problem("a block that cannot be empty is") }
    return block
  }

  private static func open(_ ledger: Ledger) -> [(SessionID, Standing)] {
    (ledger.standings.last ?? [:]).sorted { $0.value.openedPosition < $1.value.openedPosition }
      .map { ($0.key, $0.value) }
  }

  private mutating func call(_ builder: inout BlockBuilder, _ ledger: inout Ledger) {
    let open = Self.open(ledger)
    guard !open.isEmpty, open.count >= 4 || !random.happens(0.2) else {
      openSession(&builder, &ledger)
      return
    }
    let (session, standing) = open[random.whole(0...open.count - 1)]
    switch random.whole(0...19) {
    case 0: close(session, random.happens(0.5) ? .asked : .idle, &builder, &ledger)
    case 1, 2: request(session, &builder, &ledger)
    case 3, 4: respond(&builder, &ledger)
    default: events(session, standing, &builder, &ledger)
    }
  }

  private mutating func openSession(_ builder: inout BlockBuilder, _ ledger: inout Ledger) {
    let isForgettable = random.happens(0.3)
    let name = isForgettable ? Self.forgettable.text : Self.names[random.whole(0...Self.names.count - 1)]
    let client = ClientID(user: UInt32(random.whole(0...2)), name: name)
    for (id, standing) in Self.open(ledger) where standing.opening.client == client {
      close(id, .reopened, &builder, &ledger)
    }
    let policy = random.happens(0.3) ? Policy.classic : RandomSession.policy(seed: random.next())
    var opening = Opening(client: client, time: received, policy: policy)
    if random.happens(0.5) { opening.application = "Reader 1.0" }
    if random.happens(0.5) { opening.title = "Ein Titel – 標題" }
    let id = SessionID(high: random.next(), low: random.next())
    builder.append(opening, of: id)
    ledger.send(.open(opening), of: id, received: received)
    if isForgettable { ledger.forbiddenText = nil }
  }

  private func close(
    _ id: SessionID, _ reason: Closing.Reason, _ builder: inout BlockBuilder, _ ledger: inout Ledger
  ) {
    let closing = Closing(time: received, reason: reason)
    builder.append(closing, of: id)
    ledger.send(.close(closing), of: id, received: received)
  }

  private mutating func request(_ id: SessionID, _ builder: inout BlockBuilder, _ ledger: inout Ledger) {
    let targets: [ScrollRequest.Target] = [.top, .bottom, .page(3), .offset(x: 0.1, y: -2.5)]
    let request = ScrollRequest(time: received, target: targets[random.whole(0...3)])
    requests.append((id, builder.nextPosition))
    builder.append(request, of: id)
    ledger.send(.request(request), of: id, received: received)
  }

  private mutating func respond(_ builder: inout BlockBuilder, _ ledger: inout Ledger) {
    while let (id, position) = requests.popLast() {
      // It may have been closed, or a crash may have taken the request back.
      guard ledger.standings.last?[id] != nil, position <= ledger.last, ledger.records[Int(position) - 1].session == id
      else { continue }
      let isDone = random.happens(0.5)
      let response = ScrollResponse(time: received, request: position, done: isDone, reason: isDone ? nil : "covered")
      builder.append(response, of: id)
      ledger.send(.response(response), of: id, received: received)
      return
    }
  }

  private mutating func events(
    _ id: SessionID, _ standing: Standing, _ builder: inout BlockBuilder, _ ledger: inout Ledger
  ) {
    // Most calls are small; some fill several sectors, and a few several pages.
    let count = random.happens(0.06) ? random.whole(30...80) : random.whole(1...5)
    builder.beginRun(id, firstNumber: standing.nextNumber)
    for number in standing.nextNumber..<(standing.nextNumber + Int64(count)) {
      let event = Self.event(number, of: id)
      builder.append(event)
      ledger.send(.event(event, number: number), of: id, received: received)
    }
    builder.endRun()
  }

  /// A session's event of a number, the same whenever it is asked for: what is sent again is what was sent.
  private static func event(_ number: Int64, of session: SessionID) -> Event {
    // One of 64 random sessions, over and over, time going on.
    let events = scripts[Int(session.low % UInt64(scripts.count))]
    let (turn, index) = (number - 1).quotientAndRemainder(dividingBy: Int64(events.count))
    var event = events[Int(index)]
    event.time += turn * 1_000_000
    return event
  }

  private static let scripts: [[Event]] = (0..<64).map { RandomSession.mixed(seed: $0) }.filter { !$0.isEmpty }
}
