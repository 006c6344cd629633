import ScrollModel

/// The encoding of the event that last turned a session's toolbar, at the end of the session's entry in a checkpoint.
enum TurnCoding {
  /// The version of this layout, which precedes the turn.
  private static let layout: UInt8 = 1

  static func append(_ turn: Turn, to writer: inout ByteWriter) {
    writer.append(layout)
    writer.append(turn.position)
    writer.append(turn.number)
    writer.append(turn.time)
    writer.append(turn.kind.rawValue)
    append(turn.reason, to: &writer)
    writer.append(turn.clock.elapsed)
    writer.append(turn.clock.reading ?? turn.time)
    writer.append(turn.clock.wasSetBack)
    FoldStateCoding.append(turn.state, to: &writer)
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> Turn {
    let found: UInt8 = try reader.read()
    guard found == layout else { throw .badValue(field: "layout of a turn", value: UInt64(found)) }
    let position = try reader.ordinal("position")
    let number = try reader.ordinal("event number")
    let time: Int64 = try reader.read()
    let kind: Event.Kind = try reader.choice("kind")
    let reason = try reason(&reader)
    let elapsed = try reader.natural("elapsed time")
    let reading: Int64 = try reader.read()
    let clock = SessionClock(elapsed: elapsed, reading: reading, wasSetBack: try reader.bool("wasSetBack"))
    return Turn(
      position: position, number: number, time: time, kind: kind, reason: reason, clock: clock,
      state: try FoldStateCoding.read(&reader))
  }

  private static func append(_ reason: Reason, to writer: inout ByteWriter) {
    let (code, numbers) = encoded(reason)
    writer.append(code)
    for number in numbers { writer.append(number) }
  }

  /// Returns a reason's code and its numbers.
  private static func encoded(_ reason: Reason) -> (UInt8, [Double]) {
    switch reason {
    case .travelledDown(let travel, let distance): (1, [travel, distance])
    case .travelledUp(let travel, let distance): (2, [travel, distance])
    case .secondPull(let distance): (3, [distance])
    case .arrivedAtBottom(let offset, let bottom): (4, [offset, bottom])
    case .pulledAtTop(let offset, let top): (5, [offset, top])
    case .atTop(let offset, let top): (6, [offset, top])
    case .nothingScrolls(let range, let tolerance): (7, [range, tolerance])
    case .zoomedIn(let scale, let threshold): (8, [scale, threshold])
    case .zoomedOut(let scale, let threshold): (9, [scale, threshold])
    case .pinned: (10, [])
    case .translatedDown(let translation): (11, [translation])
    case .notTranslatedDown(let translation): (12, [translation])
    case .latchedAtBottom(let translation): (13, [translation])
    case .scaleIsMinimum(let scale): (14, [scale])
    case .scaleIsNotMinimum(let scale, let minimum): (15, [scale, minimum])
    }
  }

  private static func reason(_ reader: inout ByteReader) throws(ContentError) -> Reason {
    let code: UInt8 = try reader.read()
    switch code {
    case 1: return .travelledDown(travelDown: try reader.double(), hideDistance: try reader.double())
    case 2: return .travelledUp(travelUp: try reader.double(), showDistance: try reader.double())
    case 3: return .secondPull(distance: try reader.double())
    case 4: return .arrivedAtBottom(offset: try reader.double(), bottom: try reader.double())
    case 5: return .pulledAtTop(offset: try reader.double(), top: try reader.double())
    case 6: return .atTop(offset: try reader.double(), top: try reader.double())
    case 7: return .nothingScrolls(range: try reader.double(), edgeTolerance: try reader.double())
    case 8: return .zoomedIn(zoomScale: try reader.double(), threshold: try reader.double())
    case 9: return .zoomedOut(zoomScale: try reader.double(), threshold: try reader.double())
    case 10: return .pinned
    case 11: return .translatedDown(translationY: try reader.double())
    case 12: return .notTranslatedDown(translationY: try reader.double())
    case 13: return .latchedAtBottom(translationY: try reader.double())
    case 14: return .scaleIsMinimum(zoomScale: try reader.double())
    case 15: return .scaleIsNotMinimum(zoomScale: try reader.double(), minimumZoomScale: try reader.double())
    default: throw .badValue(field: "reason", value: UInt64(code))
    }
  }
}

extension Turn {
  /// The turn in the log's format, for those who explain a session elsewhere.
  public var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 512)
    TurnCoding.append(self, to: &writer)
    return writer.bytes.withBytes(0, writer.count) { Array($0) }
  }

  /// Reads a turn in the log's format.
  ///
  /// - Throws: ``ContentError`` for bytes that are no turn, or of a later program.
  public init(encoded bytes: [UInt8]) throws(ContentError) {
    var writer = ByteWriter(capacity: bytes.count)
    bytes.withUnsafeBytes { writer.append($0) }
    var reader = ByteReader(writer.bytes, from: 0, to: writer.count)
    self = try TurnCoding.read(&reader)
    guard reader.isAtEnd else { throw .badValue(field: "length of a turn", value: UInt64(bytes.count)) }
  }
}
