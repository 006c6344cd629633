import ScrollModel

/// Rows in PostgreSQL's binary COPY format (the section “Binary Format” of its manual's page COPY).
struct CopyRows {
  /// Microseconds from the Unix epoch to 2000-01-01, from which PostgreSQL counts.
  private static let epoch: Int64 = 946_684_800_000_000
  /// The object id of the type `text`.
  private static let textType: Int32 = 25

  private(set) var bytes: [UInt8]

  init(reserving capacity: Int = 0) {
    bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    bytes.reserveCapacity(capacity)
    append(Int32(0))
    append(Int32(0))
  }

  private mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func beginRow(columns: Int16) { append(columns) }

  /// Ends the data.
  mutating func finish() { append(Int16(-1)) }

  mutating func null() { append(Int32(-1)) }

  mutating func bigint(_ value: Int64?) {
    guard let value else { return null() }
    append(Int32(8))
    append(value)
  }

  mutating func double(_ value: Double?) {
    guard let value else { return null() }
    append(Int32(8))
    append(value.bitPattern)
  }

  mutating func boolean(_ value: Bool) {
    append(Int32(1))
    bytes.append(value ? 1 : 0)
  }

  /// - Parameter value: Microseconds since the Unix epoch.
  mutating func timestamp(_ value: Int64) { bigint(value - Self.epoch) }

  mutating func uuid(_ value: SessionID) {
    append(Int32(16))
    append(value.high)
    append(value.low)
  }

  mutating func text(_ value: String?) {
    guard let value else { return null() }
    append(Int32(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  /// - Parameter json: JSON in UTF-8; empty for none.
  mutating func jsonb(_ json: [UInt8]) {
    if json.isEmpty { return null() }
    append(Int32(json.count + 1))
    // The version of the format, which is the text.
    bytes.append(1)
    bytes.append(contentsOf: json)
  }

  mutating func texts(_ values: [String]) {
    let size = values.reduce(12) { $0 + 4 + $1.utf8.count }
    append(Int32(values.isEmpty ? 12 : size + 8))
    append(Int32(values.isEmpty ? 0 : 1))
    append(Int32(0))
    append(Self.textType)
    if values.isEmpty { return }
    append(Int32(values.count))
    append(Int32(1))
    for value in values { text(value) }
  }
}
