/// What belongs to each connection, by its number.
///
/// A turn looks the same few connections up many times, so the table remembers where those are that were looked up last, and
/// hashes a number only once.
struct ConnectionTable<Value: AnyObject> {
  private struct Entry {
    let id: ConnectionID
    let value: Value
  }

  /// How many connections it remembers: a power of two, since a number's last bits say where.
  private static var recentCount: Int { 64 }

  private var all: [ConnectionID: Value] = [:]
  private var recent = [Entry?](repeating: nil, count: recentCount)

  var count: Int { all.count }
  var ids: some Collection<ConnectionID> { all.keys }
  var values: some Collection<Value> { all.values }

  subscript(id: ConnectionID) -> Value? {
    mutating get {
      let place = Int(truncatingIfNeeded: id) & (Self.recentCount - 1)
      if let entry = recent[place], entry.id == id { return entry.value }
      guard let value = all[id] else { return nil }
      recent[place] = Entry(id: id, value: value)
      return value
    }
  }

  mutating func insert(_ value: Value, for id: ConnectionID) { all[id] = value }

  mutating func remove(_ id: ConnectionID) -> Value? {
    let place = Int(truncatingIfNeeded: id) & (Self.recentCount - 1)
    if recent[place]?.id == id { recent[place] = nil }
    return all.removeValue(forKey: id)
  }
}
