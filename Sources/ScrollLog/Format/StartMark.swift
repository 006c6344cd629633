import ScrollModel

/// The mark that a daemon writes when it begins to write to an existing segment.
struct StartMark: Equatable {
  /// The generation from here on.
  var generation: Generation
  /// The current boot; ``BootID/ofCopy`` in a backup.
  var boot: BootID
  /// The code of the ``SyncMode``.
  var syncMode: UInt8

  func encode(into writer: inout ByteWriter) {
    writer.append(generation)
    writer.append(boot.high.byteSwapped)
    writer.append(boot.low.byteSwapped)
    writer.append(syncMode)
  }

  static func read(_ reader: inout ByteReader) throws(ContentError) -> StartMark {
    let mark = StartMark(
      generation: try reader.ordinal("generation"),
      boot: BootID(high: try reader.read(UInt64.self).byteSwapped, low: try reader.read(UInt64.self).byteSwapped),
      syncMode: try reader.read())
    guard reader.isAtEnd else { throw .badValue(field: "start mark", value: UInt64(reader.end - reader.offset)) }
    return mark
  }
}
