import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollLog

/// Writing records and reading them back, bit by bit.
@Suite struct RoundTripTests {
  @Test func everyKindOfRecordIsReadBackUnchanged() throws {
    let (fileSystem, expected, _) = try LogFixture.filled(blocks: 200, seed: SeededGenerator.seed)
    let log = try LogFixture.open(fileSystem)
    let found = try LogFixture.records(log)
    #expect(found == expected)
    // The feed had every kind of record and event.
    #expect(Set(expected.map { $0.record.tag }).count == 5)
    let kinds = expected.compactMap { stored -> Event.Kind? in
      guard case .event(let event, _) = stored.record else { return nil }
      return event.kind
    }
    #expect(Set(kinds).count == Event.Kind.allCases.count)
  }

  @Test func numbersKeepTheirBits() throws {
    for value in [-0.0, 0.1, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 1.0.nextUp, .pi] {
      var writer = ByteWriter(capacity: 16)
      var event = Event(.scroll, time: 5)
      event.y = value
      EventCoding.append(event, to: &writer)
      var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
      #expect(try EventCoding.read(&reader).y?.bitPattern == value.bitPattern)
      #expect(reader.isAtEnd)
    }
  }

  /// Fields that an event's kind does not have are kept as well: the log does not validate events.
  @Test func everyFieldOfEveryKindIsReadBackUnchanged() throws {
    for kind in Event.Kind.allCases {
      for field in Event.Field.allCases {
        var event = Event(kind, time: .max)
        event.set(field, variant: 0)
        var writer = ByteWriter(capacity: 16)
        EventCoding.append(event, to: &writer)
        var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
        #expect(try EventCoding.read(&reader) == event)
      }
    }
  }

  /// A property of the state that the coding leaves out comes back as at the beginning of a session.
  @Test func everyPropertyOfAState() throws {
    var state = FoldState()
    state.time = 1
    state.geometry.x = 2
    state.geometry.y = 3
    for field in Event.Field.allCases {
      var layout = Event(.layout, time: 0)
      layout.set(field, variant: 0)
      state.geometry.update(with: layout)
    }
    state.zoomScale = 4
    state.toolbar = .hidden
    state.trigger = .zoomIn
    state.reachBottom = true
    state.bottomLatch = true
    state.topButton = true
    state.pager.index = 5
    state.pager.count = 6
    state.pager.indicatorOffset = 7
    state.pager.indicatorWidth = 8
    state.memory.firstY = 9
    state.memory.last = 10
    state.memory.pan = 11
    state.memory.travelDown = 12
    state.memory.travelUp = 13
    state.memory.zooming = true
    state.memory.zoomedIn = true
    state.memory.held = true
    state.memory.panX = 14
    state.memory.slack = 15
    state.memory.grown = 16
    state.memory.guessed = true
    state.memory.deepest = 17
    state.memory.hidAt = 18
    state.memory.tooShort = 19
    state.memory.pager.scale = 20
    state.memory.pager.distance = 21
    state.memory.pager.frameWidth = 22
    let beginning = StoredProperties.texts(of: FoldState())
    let unset = StoredProperties.texts(of: state).filter { beginning[$0.key] == $0.value }
    #expect(unset.isEmpty, "the test sets no \(unset.keys.sorted())")

    var writer = ByteWriter(capacity: 16)
    FoldStateCoding.append(state, to: &writer)
    var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
    let read = StoredProperties.texts(of: try FoldStateCoding.read(&reader))
    #expect(read == StoredProperties.texts(of: state))
    #expect(reader.isAtEnd)
  }

  /// The first layout ends after `held`, and has neither `pageWidth` nor `toolbarPinned`.
  @Test func aStateOfTheFirstLayoutIsRead() throws {
    var writer = ByteWriter(capacity: 256)
    writer.append(1 as UInt8)
    writer.append(true)
    writer.append(7 as Int64)
    for number in [2.0, 3, 4, 5, 6, 8] {
      writer.append(true)
      writer.append(number)
    }
    for number in [9.0, 10, 11, 12, 0.5, 4] { writer.append(number) }
    writer.append(true)
    writer.append(false)
    writer.append(Toolbar.hidden.rawValue)
    writer.append(Trigger.scrollDown.rawValue)
    for flag in [true, false, true] { writer.append(flag) }
    for _ in 0..<4 { writer.append(false) }
    writer.append(false)
    writer.append(true)
    writer.append(3.0)
    for number in [-13.0, 14, 15] { writer.append(number) }
    for flag in [false, false, true] { writer.append(flag) }
    var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
    let state = try FoldStateCoding.read(&reader)
    #expect(reader.isAtEnd)
    #expect(state.geometry.insetTop == 9 && state.geometry.rightToLeft && state.geometry.frameHeight == 8)
    #expect(state.geometry.pageWidth == nil && !state.geometry.toolbarPinned)
    #expect(state.toolbar == .hidden && state.trigger == .scrollDown && state.topButton)
    var memory = RuleMemory()
    memory.last = 3
    memory.pan = -13
    memory.travelDown = 14
    memory.travelUp = 15
    memory.held = true
    #expect(state.memory == memory)
  }

  @Test func policyParametersAreKeptExactly() throws {
    var random = SeededGenerator.ofThisRun()
    for _ in 0..<200 {
      var rule = SafariRule()
      rule.hideDistance = Double(bitPattern: random.next() & 0x7FEF_FFFF_FFFF_FFFF)
      rule.pageHysteresis = Double.random(in: 0...1, using: &random)
      rule.revealAtBottom = SafariRule.RevealAtBottom.allCases.randomElement(using: &random) ?? .never
      let opening = Opening(
        client: ClientID(user: 7, name: "a"), time: 0, policy: Policy(name: "odd", rule: .safari(rule)))
      var writer = ByteWriter(capacity: 16)
      OpeningCoding.append(opening, to: &writer)
      var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
      #expect(try OpeningCoding.read(&reader) == opening)
    }
  }

  @Test func aRolledBackCallLeavesNothing() throws {
    var builder = BlockBuilder(nextPosition: 10, received: 0)
    let session = SessionID(high: 1, low: 2)
    builder.append(Closing(time: 1, reason: .asked), of: session)
    let mark = builder.mark
    let size = builder.byteCount
    builder.beginRun(session, firstNumber: 3)
    builder.append(Event(.zoomBegin, time: 1))
    builder.rollback(to: mark)
    builder.endRun()
    var sizeAfter = builder.byteCount
    let next = builder.nextPosition
    #expect(sizeAfter == size)
    #expect(next == 11)
    builder.beginRun(session, firstNumber: 3)
    builder.endRun()
    sizeAfter = builder.byteCount
    #expect(sizeAfter == size)
    let finished = builder.finish(received: 5)
    let block = try #require(finished)
    var records = block.view.records()
    #expect(try records.next()?.record == .close(Closing(time: 1, reason: .asked)))
    #expect(try records.next() == nil)
    let isEmpty = builder.isEmpty
    #expect(isEmpty)
  }

  @Test func callsThatFollowEachOtherShareARun() throws {
    let session = SessionID(high: 1, low: 2)
    let other = SessionID(high: 1, low: 3)
    var sizes: [Int] = []
    for calls in [[1, 2, 3, 4], [1, 3, 4], [1, 4]] {
      var builder = BlockBuilder(nextPosition: 10, received: 0)
      for (first, next) in zip(calls, calls.dropFirst() + [5]) {
        builder.beginRun(session, firstNumber: Int64(first))
        for number in first..<next { builder.append(Event(.zoomBegin, time: Int64(number))) }
        builder.endRun()
      }
      sizes.append(builder.byteCount)
      // Another session's run, and a gap in the numbers, begin another.
      builder.beginRun(other, firstNumber: 5)
      builder.append(Event(.zoomBegin, time: 5))
      builder.endRun()
      builder.beginRun(session, firstNumber: 5)
      builder.append(Event(.zoomBegin, time: 5))
      builder.endRun()
      builder.beginRun(session, firstNumber: 7)
      builder.append(Event(.zoomBegin, time: 7))
      builder.endRun()
      let finished = builder.finish(received: 5)
      let block = try #require(finished)
      var records = block.view.records()
      var found: [String] = []
      while let entry = try records.next() {
        guard case .event(let event, let number) = entry.record else { continue }
        #expect(event.time == number)
        found.append("\(entry.position): \(entry.session.low) \(number)")
      }
      #expect(found == ["10: 2 1", "11: 2 2", "12: 2 3", "13: 2 4", "14: 3 5", "15: 2 5", "16: 2 7"])
    }
    #expect(Set(sizes).count == 1, "\(sizes)")
  }

  @Test(arguments: [false, true]) func aRolledBackCallLeavesTheRunThatItContinuedAsItWas(hasEnded: Bool) throws {
    let session = SessionID(high: 1, low: 2)
    var builder = BlockBuilder(nextPosition: 10, received: 0)
    builder.beginRun(session, firstNumber: 1)
    builder.append(Event(.zoomBegin, time: 1))
    builder.endRun()
    let mark = builder.mark
    builder.beginRun(session, firstNumber: 2)
    builder.append(Event(.zoomBegin, time: 2))
    if hasEnded { builder.endRun() }
    builder.rollback(to: mark)
    builder.beginRun(session, firstNumber: 2)
    builder.append(Event(.zoomEnd, time: 3))
    builder.endRun()
    let finished = builder.finish(received: 5)
    let block = try #require(finished)
    var records = block.view.records()
    #expect(try records.next()?.record == .event(Event(.zoomBegin, time: 1), number: 1))
    #expect(try records.next()?.record == .event(Event(.zoomEnd, time: 3), number: 2))
    #expect(try records.next() == nil)
  }

  @Test func receivedNeverDecreases() throws {
    var builder = BlockBuilder(nextPosition: 1, received: 100)
    let session = SessionID(high: 1, low: 2)
    var times: [Int64] = []
    for received: Int64 in [50, 200, 150] {
      builder.append(Closing(time: 1, reason: .asked), of: session)
      let block = builder.finish(received: received)
      times.append(try #require(block).received)
    }
    #expect(times == [100, 200, 200])
  }

  /// Any bytes with a right checksum give records or an error.
  @Test func invalidBytesAreAnErrorAndNeverATrap() throws {
    var random = SeededGenerator.ofThisRun(1)
    var feed = RandomFeed(random)
    var builder = BlockBuilder(nextPosition: 1, received: 0)
    var errors = 0
    for _ in 0..<40 {
      let view = feed.block(&builder, calls: 4).view
      for _ in 0..<200 {
        let length = view.payload.count
        let bytes = Bytes(capacity: length)
        bytes.base.copyMemory(from: view.bytes.base + view.payload.lowerBound, byteCount: length)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let at = Int.random(in: 0..<length, using: &random)
          bytes.base.storeBytes(of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: at, as: UInt8.self)
        }
        let end = random.happens(0.2) ? Int.random(in: 0...length, using: &random) : length
        let mutated = BlockView(
          firstPosition: 1, recordCount: view.recordCount, received: 0, bytes: bytes, payload: 0..<end)
        var records = mutated.records()
        do {
          while try records.next() != nil {}
        } catch {
          errors += 1
        }
        // The fold must not trap either; whether it reports an error depends on the changed byte.
        let projection = Projection(.empty)
        var observer = NoObserver()
        try? projection.apply(mutated, observer: &observer)
      }
    }
    #expect(errors > 1000)
  }

  @Test func tombstonesKeepPositions() throws {
    var writer = ByteWriter(capacity: 64)
    writer.append(EntryTag.tombstone.rawValue)
    writer.append(5 as UInt32)
    let session = SessionID(high: 1, low: 2)
    let opening = Opening(client: ClientID(user: 1, name: "a"), time: 2, policy: .safari)
    EntryCoding.append(opening, of: session, to: &writer)
    let view = BlockView(
      firstPosition: 1, recordCount: 6, received: 9, bytes: writer.bytes, payload: 0..<writer.count)
    var records = view.records()
    let only = StoredRecord(position: 6, received: 9, session: session, record: .open(opening))
    #expect(try records.next() == only)
    #expect(try records.next() == nil)
    let projection = Projection(.empty)
    var observer = NoObserver()
    try projection.apply(view, observer: &observer)
    #expect(projection.position == 6)
    #expect(projection.sessions[session]?.openedPosition == 6)
  }
}

extension Record {
  fileprivate var tag: Int {
    switch self {
    case .event: 0
    case .open: 1
    case .close: 2
    case .request: 3
    case .response: 4
    }
  }
}
