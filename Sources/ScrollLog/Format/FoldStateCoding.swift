import ScrollModel

/// The encoding of a fold's state. Numbers keep all their bits, so that a fold continues exactly from a checkpoint.
enum FoldStateCoding {
  /// The version of this layout, which precedes each state.
  private static let layout: UInt8 = 2
  /// The first layout, which lacks what the second version of the default rule remembers.
  private static let firstLayout: UInt8 = 1

  static func append(_ state: FoldState, to writer: inout ByteWriter) {
    writer.append(layout)
    append(state.time, to: &writer)
    append(state.geometry, to: &writer)
    append(state.zoomScale, to: &writer)
    writer.append(state.toolbar.rawValue)
    writer.append(state.trigger?.rawValue ?? 0)
    writer.append(state.reachBottom)
    writer.append(state.bottomLatch)
    writer.append(state.topButton)
    append(state.pager.index.map(Int64.init), to: &writer)
    append(state.pager.count.map(Int64.init), to: &writer)
    append(state.pager.indicatorOffset, to: &writer)
    append(state.pager.indicatorWidth, to: &writer)
    append(state.memory, to: &writer)
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> FoldState {
    let found: UInt8 = try reader.read()
    guard found == layout || found == firstLayout else { throw .badValue(field: "state layout", value: UInt64(found)) }
    var state = FoldState()
    state.time = try integer(&reader)
    state.geometry = try geometry(&reader, layout: found)
    state.zoomScale = try number(&reader)
    state.toolbar = try reader.choice("toolbar")
    let trigger: UInt8 = try reader.read()
    if trigger != 0 {
      guard let known = Trigger(rawValue: trigger) else { throw .badValue(field: "trigger", value: UInt64(trigger)) }
      state.trigger = known
    }
    state.reachBottom = try reader.bool("reachBottom")
    state.bottomLatch = try reader.bool("bottomLatch")
    state.topButton = try reader.bool("topButton")
    state.pager.index = try integer(&reader).map { Int($0) }
    state.pager.count = try integer(&reader).map { Int($0) }
    state.pager.indicatorOffset = try number(&reader)
    state.pager.indicatorWidth = try number(&reader)
    state.memory = try memory(&reader, layout: found)
    return state
  }

  private static func append(_ geometry: Geometry, to writer: inout ByteWriter) {
    append(geometry.x, to: &writer)
    append(geometry.y, to: &writer)
    append(geometry.contentWidth, to: &writer)
    append(geometry.contentHeight, to: &writer)
    append(geometry.frameWidth, to: &writer)
    append(geometry.frameHeight, to: &writer)
    writer.append(geometry.insetTop)
    writer.append(geometry.insetLeft)
    writer.append(geometry.insetBottom)
    writer.append(geometry.insetRight)
    writer.append(geometry.minimumZoomScale)
    writer.append(geometry.maximumZoomScale)
    writer.append(geometry.rightToLeft)
    append(geometry.pageWidth, to: &writer)
    writer.append(geometry.toolbarPinned)
  }

  private static func geometry(_ reader: inout ByteReader, layout: UInt8) throws(ContentError) -> Geometry {
    var geometry = Geometry()
    geometry.x = try number(&reader)
    geometry.y = try number(&reader)
    geometry.contentWidth = try number(&reader)
    geometry.contentHeight = try number(&reader)
    geometry.frameWidth = try number(&reader)
    geometry.frameHeight = try number(&reader)
    geometry.insetTop = try reader.double()
    geometry.insetLeft = try reader.double()
    geometry.insetBottom = try reader.double()
    geometry.insetRight = try reader.double()
    geometry.minimumZoomScale = try reader.double()
    geometry.maximumZoomScale = try reader.double()
    geometry.rightToLeft = try reader.bool("rightToLeft")
    guard layout > firstLayout else { return geometry }
    geometry.pageWidth = try number(&reader)
    geometry.toolbarPinned = try reader.bool("toolbarPinned")
    return geometry
  }

  private static func append(_ memory: RuleMemory, to writer: inout ByteWriter) {
    append(memory.firstY, to: &writer)
    append(memory.last, to: &writer)
    writer.append(memory.pan)
    writer.append(memory.travelDown)
    writer.append(memory.travelUp)
    writer.append(memory.zooming)
    writer.append(memory.zoomedIn)
    writer.append(memory.held)
    writer.append(memory.panX)
    writer.append(memory.slack)
    writer.append(memory.grown)
    writer.append(memory.guessed)
    append(memory.deepest, to: &writer)
    append(memory.hidAt, to: &writer)
    append(memory.tooShort, to: &writer)
    writer.append(memory.pager.scale)
    append(memory.pager.distance, to: &writer)
    append(memory.pager.frameWidth, to: &writer)
  }

  private static func memory(_ reader: inout ByteReader, layout: UInt8) throws(ContentError) -> RuleMemory {
    var memory = RuleMemory()
    memory.firstY = try number(&reader)
    memory.last = try number(&reader)
    memory.pan = try reader.double()
    memory.travelDown = try reader.double()
    memory.travelUp = try reader.double()
    memory.zooming = try reader.bool("zooming")
    memory.zoomedIn = try reader.bool("zoomedIn")
    memory.held = try reader.bool("held")
    guard layout > firstLayout else { return memory }
    memory.panX = try reader.double()
    memory.slack = try reader.double()
    memory.grown = try reader.double()
    memory.guessed = try reader.bool("guessed")
    memory.deepest = try number(&reader)
    memory.hidAt = try number(&reader)
    memory.tooShort = try number(&reader)
    memory.pager.scale = try reader.double()
    memory.pager.distance = try number(&reader)
    memory.pager.frameWidth = try number(&reader)
    return memory
  }

  private static func append(_ value: Double?, to writer: inout ByteWriter) {
    writer.append(value != nil)
    if let value { writer.append(value) }
  }

  private static func append(_ value: Int64?, to writer: inout ByteWriter) {
    writer.append(value != nil)
    if let value { writer.append(value) }
  }

  private static func number(_ reader: inout ByteReader) throws(ContentError) -> Double? {
    try reader.bool("presence") ? try reader.double() : nil
  }

  private static func integer(_ reader: inout ByteReader) throws(ContentError) -> Int64? {
    try reader.bool("presence") ? try reader.read(Int64.self) : nil
  }
}
