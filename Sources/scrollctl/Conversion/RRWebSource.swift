import ScrollModel

/// Reads the scrolling of a recording of rrweb: of the document, or of a pane in it.
struct RRWebSource {
  let conversion: Conversion
  /// The id of the node whose scrolling is wanted; the document's when `nil`.
  let node: Int?

  private var document = 1
  private var page: String?
  private var session: ConvertedSession?
  /// Whether there is a snapshot that says where the document was.
  private var isDocumentShown = false
  /// How often each node scrolled.
  private var scrolls: [Int: Int] = [:]
  private var frame: [Event.Field: Double] = [:]
  /// Whether the text has an event at all.
  private var hasEvents = false

  init(_ conversion: Conversion, node: Int?) {
    self.conversion = conversion
    self.node = node
  }

  /// Converts a text.
  ///
  /// - Throws: ``Failure`` when it is not JSON, or the node did not scroll.
  mutating func convert(_ bytes: [UInt8]) throws -> [String] {
    let file = conversion.settings.file
    var line = 1
    var counted = 0
    try bytes.withUnsafeBytes { bytes in
      do throws(JSONScanner.Problem) {
        try RRWebEvent.read(bytes) { event, offset in
          line += bytes[counted..<offset].count { $0 == 0x0A }
          counted = offset
          conversion.progress?.updateNowAndThen(Int64(offset))
          take(event, line: line)
        }
      } catch {
        line += bytes[counted..<max(counted, min(error.offset, bytes.count))].count { $0 == 0x0A }
        throw Failure("\(file):\(line): byte \(error.offset + 1): \(error.reason)")
      }
    }
    if !hasEvents {
      throw Failure(
        "\(file) has no event of rrweb: each is a JSON object with type, timestamp and data, in an array or one after the "
          + "other")
    }
    if scrolls[node ?? document] == nil {
      // Somebody who only looked has scrolled nothing, and counts among those who read.
      if !isDocumentShown || !scrolls.isEmpty { throw Failure("\(file): \(missing)", hint: hint) }
    }
    return warnings
  }

  private var missing: String {
    let subject = node.map { "the node \($0)" } ?? "the document (node \(document))"
    if scrolls.isEmpty { return "no scroll events: \(subject) did not scroll" }
    return "\(subject) did not scroll"
  }

  private var hint: String? {
    scrolls.isEmpty ? nil : "These nodes did: \(Self.list(scrolls)). Choose one with --id."
  }

  private static func list(_ scrolls: [Int: Int]) -> String {
    let nodes = scrolls.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
    return nodes.map { "\($0.key) (\($0.value == 1 ? "once" : "\($0.value) times"))" }.joined(separator: ", ")
  }

  private var warnings: [String] {
    var warnings = [
      "rrweb samples scrolling, every 100 ms unless configured otherwise: turns between two samples are lost, so that real "
        + "flips and flickers may be missing"
    ]
    if conversion.settings.sizes[.contentHeight] == nil {
      warnings.append(
        "rrweb does not record the content's height, without which no bottom is ever reached: give it with --content-height"
      )
    }
    let others = scrolls.filter { $0.key != node ?? document }
    if !others.isEmpty { warnings.append("other nodes scrolled, too: \(Self.list(others)); --id converts one of them") }
    if scrolls.isEmpty {
      warnings.append("the document (node \(document)) did not scroll: it is where it was when it was loaded")
    }
    if node != nil, conversion.settings.sizes[.frameHeight] == nil {
      warnings.append("rrweb does not record the height of a pane: give it with --frame-height")
    }
    return warnings
  }

  private mutating func take(_ event: RRWebEvent, line: Int) {
    if event.isPacked || event.type != nil && event.timestamp != nil { hasEvents = true }
    do throws(EventProblem) {
      if event.isPacked {
        throw EventProblem(field: "the event", reason: "is packed text: unpack it with rrweb's unpack()")
      }
      guard let type = event.type, let timestamp = event.timestamp else {
        throw EventProblem(field: "the event", reason: "has no type or no timestamp: it is not one of rrweb's")
      }
      try convert(event, type: type, at: timestamp)
    } catch {
      conversion.refuse(line: line, error.description)
    }
  }

  private mutating func convert(_ event: RRWebEvent, type: Double, at timestamp: Double) throws(EventProblem) {
    guard let kind = Int(exactly: type).flatMap(RRWebEvent.Kind.init) else { return }
    var scale = conversion.settings.time
    scale.unit = scale.unit ?? .milliseconds
    let time = try scale.microseconds(.number(timestamp))
    switch kind {
    case .meta:
      try beginPage(event.address)
      resize(event)
    case .fullSnapshot:
      document = event.document.flatMap(Int.init(exactly:)) ?? document
      let offset = node == nil ? event.top.map { (x: event.left ?? 0, y: $0) } : nil
      isDocumentShown = isDocumentShown || offset != nil
      try current(at: time).layOut(sizes, offset: offset, at: time)
    case .incrementalSnapshot:
      switch event.source.flatMap(Int.init(exactly:)).flatMap(RRWebEvent.Source.init) {
      case .scroll:
        guard let id = event.id.flatMap(Int.init(exactly:)) else { return }
        scrolls[id, default: 0] += 1
        guard id == node ?? document else { return }
        try current(at: time).layOut(sizes, at: time)
        try current(at: time).sample(x: event.x, y: event.y, at: time)
      case .viewportResize:
        resize(event)
        try current(at: time).layOut(sizes, at: time)
      case nil: break
      }
    }
  }

  /// The sizes that are known: of the window for the document, and what the command line says of others.
  private var sizes: [Event.Field: Double] { frame.merging(conversion.settings.sizes) { own, _ in own } }

  private mutating func resize(_ event: RRWebEvent) {
    guard node == nil else { return }
    frame[.frameWidth] = event.width ?? frame[.frameWidth]
    frame[.frameHeight] = event.height ?? frame[.frameHeight]
  }

  /// Begins a session for a page. Another address than before is another page; its fragment does not matter.
  private mutating func beginPage(_ address: String?) throws(EventProblem) {
    let page = address.map { String($0.prefix { $0 != "#" }) }
    if session != nil, page == self.page { return }
    self.page = page
    var identity = conversion.identity
    identity.title = identity.title ?? address
    session = try conversion.begin(identity)
  }

  private mutating func current(at time: Int64) throws(EventProblem) -> ConvertedSession {
    if let session, !conversion.isOver(session, at: time) { return session }
    let session = try conversion.begin(session?.identity ?? conversion.identity)
    self.session = session
    return session
  }
}
