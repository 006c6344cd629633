import ScrollModel

/// What an event of rrweb says about scrolling.
struct RRWebEvent {
  /// The types of events that matter.
  enum Kind: Int {
    case fullSnapshot = 2
    case incrementalSnapshot = 3
    case meta = 4
  }

  /// The sources of incremental snapshots that matter.
  enum Source: Int {
    case scroll = 3
    case viewportResize = 4
  }

  var type: Double?
  /// Milliseconds since the Unix epoch.
  var timestamp: Double?
  var source: Double?
  /// The node that scrolled.
  var id: Double?
  var x: Double?
  var y: Double?
  var width: Double?
  var height: Double?
  var address: String?
  /// The offset of the document in a full snapshot, and the document's id.
  var left: Double?
  var top: Double?
  var document: Double?
  /// Whether this is not an event but a text, as rrweb's packer makes them.
  var isPacked = false

  init(_ scanner: inout JSONScanner) throws(JSONScanner.Problem) {
    guard scanner.peek() == UInt8(ascii: "{") else {
      isPacked = scanner.peek() == UInt8(ascii: "\"")
      try scanner.skip()
      return
    }
    var event = RRWebEvent()
    try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
      switch name {
      case "type": event.type = try scanner.number()
      case "timestamp": event.timestamp = try scanner.number()
      case "data" where scanner.peek() == UInt8(ascii: "{"): try event.readData(&scanner)
      default: try scanner.skip()
      }
    }
    self = event
  }

  private init() {}

  private mutating func readData(_ scanner: inout JSONScanner) throws(JSONScanner.Problem) {
    var event = self
    try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
      switch name {
      case "source": event.source = try scanner.number()
      case "id": event.id = try scanner.number()
      case "x": event.x = try scanner.number()
      case "y": event.y = try scanner.number()
      case "width": event.width = try scanner.number()
      case "height": event.height = try scanner.number()
      case "href": event.address = try scanner.text()
      case "initialOffset" where scanner.peek() == UInt8(ascii: "{"):
        try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
          switch name {
          case "left": event.left = try scanner.number()
          case "top": event.top = try scanner.number()
          default: try scanner.skip()
          }
        }
      case "node" where scanner.peek() == UInt8(ascii: "{"):
        try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
          if name == "id" { event.document = try scanner.number() } else { try scanner.skip() }
        }
      default: try scanner.skip()
      }
    }
    self = event
  }

  /// Reads the events of a text: an array of them, one after the other, or an object whose member `events` has them.
  static func read(
    _ bytes: UnsafeRawBufferPointer, _ body: (RRWebEvent, Int) -> Void
  ) throws(JSONScanner.Problem) {
    var scanner = JSONScanner(bytes, from: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    func read(_ scanner: inout JSONScanner) throws(JSONScanner.Problem) {
      _ = scanner.peek()
      let offset = scanner.offset
      body(try RRWebEvent(&scanner), offset)
    }
    while let byte = scanner.peek() {
      if byte == UInt8(ascii: "[") {
        try scanner.array(read)
      } else if byte == UInt8(ascii: "{"), try hasEvents(scanner) {
        try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
          if name == "events" { try scanner.array(read) } else { try scanner.skip() }
        }
      } else {
        try read(&scanner)
      }
    }
  }

  /// Whether an object has a list of events instead of being one.
  private static func hasEvents(_ scanner: JSONScanner) throws(JSONScanner.Problem) -> Bool {
    var scanner = scanner
    var found = false
    try scanner.object { (scanner, name) throws(JSONScanner.Problem) in
      if name == "events", scanner.peek() == UInt8(ascii: "[") { found = true }
      try scanner.skip()
    }
    return found
  }
}
