import ScrollModel
import Varlink

extension ConnectionState {
  private enum Tag {
    static let noStream: UInt8 = 0
    static let subscription: UInt8 = 1
    static let requests: UInt8 = 2
    /// A subscription that has not sent all present states.
    static let presenting: UInt8 = 3
  }

  /// Encodes the state.
  func write(to writer: inout StateWriter) {
    writer.append(wire.input)
    writer.append(wire.output)
    writer.append(wire.hasReceivedEnd)
    writer.append(wire.isStreaming)
    writer.append(lastPosition)
    writer.append(ownedSessions) { $0.append($1) }
    writer.append(gappedSessions) { $0.append($1) }
    switch stream {
    case nil: writer.append(Tag.noStream)
    case .subscription(let subscription):
      writer.append(subscription.unpresented == nil ? Tag.subscription : Tag.presenting)
      subscription.write(to: &writer)
      if let openings = subscription.unpresented {
        writer.append(openings.after)
        writer.append(openings.through)
      }
    case .requests(let requests):
      writer.append(Tag.requests)
      requests.write(to: &writer)
    }
  }

  /// Decodes a state.
  ///
  /// - Throws: ``HandOverError`` when the bytes don't encode a state.
  init(_ bytes: UnsafeRawBufferPointer) throws(HandOverError) {
    var reader = StateReader(bytes)
    wire.input = try reader.list()
    wire.output = try reader.list()
    wire.hasReceivedEnd = try reader.bool("end of input")
    wire.isStreaming = try reader.bool("stream's flag")
    lastPosition = try reader.natural("last position")
    ownedSessions = try reader.list { reader throws(HandOverError) in try reader.session() }
    gappedSessions = try reader.list { reader throws(HandOverError) in try reader.session() }
    switch try reader.integer(UInt8.self) {
    case Tag.noStream: stream = nil
    case Tag.subscription: stream = .subscription(try SubscriptionState(&reader))
    case Tag.presenting:
      var subscription = try SubscriptionState(&reader)
      subscription.unpresented = SubscriptionState.Openings(
        after: try reader.natural("first opening"), through: try reader.natural("last opening"))
      stream = .subscription(subscription)
    case Tag.requests: stream = .requests(try RequestsState(&reader))
    default: throw .badValue("stream")
    }
    if wire.isStreaming != (stream != nil) { throw .badValue("stream's flag") }
    try reader.finish()
  }
}

extension SubscriptionState {
  fileprivate func write(to writer: inout StateWriter) {
    writer.append(patterns) { $0.append($1) }
    writer.append(wantsFrames)
    writer.append(seesEveryone)
    writer.append(position)
    writer.append(generation)
    writer.append(isCatchingUp)
    writer.append(owesCaughtUp)
    writer.append(owedFrames) { $0.append($1) }
  }

  fileprivate init(_ reader: inout StateReader) throws(HandOverError) {
    patterns = try reader.list { reader throws(HandOverError) in try reader.text("pattern") }
    wantsFrames = try reader.bool("detail")
    seesEveryone = try reader.bool("access")
    position = try reader.natural("position")
    generation = try reader.integer()
    isCatchingUp = try reader.bool("catching up")
    owesCaughtUp = try reader.bool("caught up")
    owedFrames = try reader.list { reader throws(HandOverError) in try reader.session() }
  }
}

extension RequestsState {
  private enum Tag {
    static let top: UInt8 = 0
    static let bottom: UInt8 = 1
    static let page: UInt8 = 2
    static let offset: UInt8 = 3
  }

  fileprivate func write(to writer: inout StateWriter) {
    writer.append(session)
    writer.append(hasBegun)
    writer.append(sent)
    writer.append(unanswered) { writer, unanswered in
      writer.append(unanswered.position)
      writer.append(unanswered.request.time)
      switch unanswered.request.target {
      case .top: writer.append(Tag.top)
      case .bottom: writer.append(Tag.bottom)
      case .page(let page):
        writer.append(Tag.page)
        writer.append(page)
      case .offset(let x, let y):
        writer.append(Tag.offset)
        writer.append(x)
        writer.append(y)
      }
    }
  }

  fileprivate init(_ reader: inout StateReader) throws(HandOverError) {
    session = try reader.session()
    hasBegun = try reader.bool("beginning")
    sent = try reader.natural("last request")
    unanswered = try reader.list { reader throws(HandOverError) in
      let position = try reader.natural("request")
      let time: Int64 = try reader.integer()
      let target: ScrollRequest.Target
      switch try reader.integer(UInt8.self) {
      case Tag.top: target = .top
      case Tag.bottom: target = .bottom
      case Tag.page: target = .page(try reader.natural("page"))
      case Tag.offset:
        let x = try reader.double()
        target = .offset(x: x, y: try reader.double())
      default: throw .badValue("target")
      }
      return Unanswered(position: position, request: ScrollRequest(time: time, target: target))
    }
  }
}
