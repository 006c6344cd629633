import ScrollModel

/// The encoding of what a session comes to, at the end of the session's entry in a checkpoint.
enum MeasuresCoding {
  /// The version of this layout, which precedes the measures.
  private static let layout: UInt8 = 1

  static func append(_ measures: SessionMeasures, to writer: inout ByteWriter) {
    writer.append(layout)
    writer.append(measures.clock.elapsed)
    append(measures.clock.reading, to: &writer)
    writer.append(measures.clock.wasSetBack)
    writer.append(measures.flips)
    writer.append(measures.flickers)
    append(measures.lastFlip, to: &writer)
    writer.append(measures.reach != nil)
    if let reach = measures.reach { writer.append(reach) }
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> SessionMeasures {
    let found: UInt8 = try reader.read()
    guard found == layout else { throw .badValue(field: "layout of measures", value: UInt64(found)) }
    let elapsed = try reader.natural("elapsed time")
    let reading = try integer(&reader)
    let clock = SessionClock(elapsed: elapsed, reading: reading, wasSetBack: try reader.bool("wasSetBack"))
    let flips = try reader.natural("flips")
    let flickers = try reader.natural("flickers")
    let lastFlip = try integer(&reader)
    let reach = try reader.bool("presence") ? try reader.double() : nil
    return SessionMeasures(clock: clock, flips: flips, flickers: flickers, reach: reach, lastFlip: lastFlip)
  }

  private static func append(_ value: Int64?, to writer: inout ByteWriter) {
    writer.append(value != nil)
    if let value { writer.append(value) }
  }

  private static func integer(_ reader: inout ByteReader) throws(ContentError) -> Int64? {
    try reader.bool("presence") ? try reader.read(Int64.self) : nil
  }
}
