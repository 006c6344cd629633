import ScrollModel

/// The encoding of a fold's state. Numbers keep all their bits, so that a fold continues exactly from a checkpoint.
enum FoldStateCoding {
  /// The version of this layout, which precedes each state.
  private static let layout: UInt8 = 1

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
    guard found == layout else { throw .badValue(field: "state layout", value: UInt64(found)) }
    var state = FoldState()
    state.time = try integer(&reader)
    state.geometry = try geometry(&reader)
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
    state.memory = try memory(&reader)
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
  }

  private static func geometry(_ reader: inout ByteReader) throws(ContentError) -> Geometry {
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
  }

  private static func memory(_ reader: inout ByteReader) throws(ContentError) -> RuleMemory {
    var memory = RuleMemory()
    memory.firstY = try number(&reader)
    memory.last = try number(&reader)
    memory.pan = try reader.double()
    memory.travelDown = try reader.double()
    memory.travelUp = try reader.double()
    memory.zooming = try reader.bool("zooming")
    memory.zoomedIn = try reader.bool("zoomedIn")
    memory.held = try reader.bool("held")
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
