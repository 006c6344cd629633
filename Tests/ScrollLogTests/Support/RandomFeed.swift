import ScrollLog
import ScrollModel

/// Clients that open, scroll, answer and close at random, and the records that the log must hold.
struct RandomFeed {
  private(set) var random: SeededGenerator
  /// The records put into the builder, in order.
  private(set) var expected: [StoredRecord] = []
  private var open: [SessionID: (client: ClientID, nextNumber: Int64)] = [:]
  private var order: [SessionID] = []
  private var received: Int64 = 1_700_000_000_000_000
  private var requests: [(SessionID, Position)] = []

  init(_ random: SeededGenerator) { self.random = random }

  /// Puts some calls into a builder, ends the block, and adds its records to `expected`.
  mutating func block(_ builder: inout BlockBuilder, calls: Int = 3) -> Block {
    while true {
      received += Int64.random(in: 0...1_000, using: &random)
      for _ in 0..<calls { call(&builder) }
      // An answer without a request adds nothing.
      if let block = builder.finish(received: received) { return block }
    }
  }

  private mutating func note(_ session: SessionID, _ record: Record, at position: Position) {
    expected.append(StoredRecord(position: position, received: received, session: session, record: record))
  }

  private mutating func call(_ builder: inout BlockBuilder) {
    guard let session = order.randomElement(using: &random), !(order.count < 4 && random.happens(0.2)) else {
      openSession(&builder)
      return
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: closeSession(session, &builder)
    case 1: request(session, &builder)
    case 2: respond(&builder)
    default: events(session, &builder)
    }
  }

  private mutating func openSession(_ builder: inout BlockBuilder) {
    let id = SessionID(high: random.next(), low: random.next())
    let name = ["reader/window-1", "feed/ä", "pager", "x"].randomElement(using: &random) ?? "x"
    let client = ClientID(user: UInt32.random(in: 0...3, using: &random), name: name)
    if let before = open.first(where: { $0.value.client == client })?.key { closeSession(before, &builder) }
    var opening = Opening(client: client, time: received, policy: policy())
    if random.happens(0.5) { opening.application = "Reader 1.0" }
    if random.happens(0.5) { opening.title = "Ein Titel – 標題" }
    opening.closeOnDisconnect = random.happens(0.5)
    // It takes no random numbers, so that the other cases stay what they are.
    if id.low % 5 == 0 { opening.givenID = SessionID(high: id.low, low: id.high) }
    opening.isImported = random.happens(0.3)
    note(id, .open(opening), at: builder.nextPosition)
    builder.append(opening, of: id)
    open[id] = (client, 1)
    order.append(id)
  }

  private mutating func policy() -> Policy {
    if random.happens(0.3) { return .classic }
    var rule = SafariRule()
    rule.hideDistance = Double.random(in: 0...20, using: &random)
    rule.revealAtBottom = random.happens(0.5) ? .arrival : .never
    return Policy(name: "custom", rule: .safari(rule))
  }

  private mutating func closeSession(_ id: SessionID, _ builder: inout BlockBuilder) {
    let closing = Closing(time: received, reason: Closing.Reason.allCases.randomElement(using: &random) ?? .asked)
    note(id, .close(closing), at: builder.nextPosition)
    builder.append(closing, of: id)
    open[id] = nil
    order.removeAll { $0 == id }
    requests.removeAll { $0.0 == id }
  }

  private mutating func request(_ id: SessionID, _ builder: inout BlockBuilder) {
    let targets: [ScrollRequest.Target] = [.top, .bottom, .page(3), .offset(x: 0.1, y: -2.5)]
    let request = ScrollRequest(time: received, target: targets.randomElement(using: &random) ?? .top)
    requests.append((id, builder.nextPosition))
    note(id, .request(request), at: builder.nextPosition)
    builder.append(request, of: id)
  }

  private mutating func respond(_ builder: inout BlockBuilder) {
    guard let (id, position) = requests.popLast() else { return }
    let isDone = random.happens(0.5)
    let response = ScrollResponse(time: received, request: position, done: isDone, reason: isDone ? nil : "covered")
    note(id, .response(response), at: builder.nextPosition)
    builder.append(response, of: id)
  }

  private mutating func events(_ id: SessionID, _ builder: inout BlockBuilder) {
    var number = open[id]?.nextNumber ?? 1
    builder.beginRun(id, firstNumber: number)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let event = Self.event(&random)
      note(id, .event(event, number: number), at: builder.nextPosition)
      builder.append(event)
      number += 1
    }
    builder.endRun()
    open[id]?.nextNumber = number
  }

  /// An event with random fields of its kind.
  static func event(_ random: inout SeededGenerator) -> Event {
    let kind = Event.Kind.allCases.randomElement(using: &random) ?? .scroll
    var event = Event(kind, time: Int64.random(in: 0...Event.latestTime, using: &random))
    for field in Event.Field.allCases where kind.allowedFields.contains(Event.FieldSet(field)) {
      guard kind.requiredFields.contains(Event.FieldSet(field)) || random.happens(0.5) else { continue }
      switch field.valueType {
      case .number: event[number: field] = number(&random)
      case .flag: event[flag: field] = random.happens(0.5)
      case .source: event.source = Event.Source.allCases.randomElement(using: &random)
      }
    }
    return event
  }

  private static func number(_ random: inout SeededGenerator) -> Double {
    let odd: [Double] = [0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1.0 / 3]
    return random.happens(0.1) ? odd.randomElement(using: &random) ?? 0 : Double.random(in: 0...2000, using: &random)
  }
}
