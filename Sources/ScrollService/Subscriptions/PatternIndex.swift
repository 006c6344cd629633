/// Subscribers by their patterns over client names, so that a new session is matched against few of them.
///
/// Equal patterns of several subscribers are matched once. A pattern without wildcards is looked up by the name, and one that
/// begins with text by the beginning of the name.
struct PatternIndex<Subscriber: AnyObject> {
  /// A pattern, and who has it.
  final class Entry {
    /// `nil` matches every name.
    let pattern: ClientPattern?
    fileprivate(set) var subscribers: [ObjectIdentifier: Subscriber] = [:]
    /// The beginning of the names under which it is found; `nil` if it is only found by its own text.
    fileprivate let prefix: [UInt32]?
    fileprivate var place = 0

    fileprivate init(_ pattern: ClientPattern?) {
      self.pattern = pattern
      let isName = pattern?.isName ?? false
      prefix = isName ? nil : Array((pattern?.literalPrefix ?? []).prefix(PatternIndex.longestPrefix))
    }

    /// Returns whether a name matches, in at most ``cost`` steps.
    func matches(_ name: ScannedName) -> Bool { pattern?.matches(name) ?? true }

    var cost: Int { pattern?.maximumSteps ?? 1 }
  }

  private static var longestPrefix: Int { 16 }

  private var entries: [[UInt8]: Entry] = [:]
  private var matchingAll: Entry?
  private var buckets: [[UInt32]: [Entry]] = [:]
  /// How many buckets have a prefix of each length.
  private var prefixLengths: [Int: Int] = [:]

  var isEmpty: Bool { entries.isEmpty && matchingAll == nil }

  // MARK: Subscribers

  mutating func add(_ subscriber: Subscriber, _ glob: Glob) {
    let id = ObjectIdentifier(subscriber)
    if glob.compiled.isEmpty {
      let entry = matchingAll ?? Entry(nil)
      matchingAll = entry
      entry.subscribers[id] = subscriber
    }
    for pattern in glob.compiled {
      let entry = entries[pattern.key] ?? insert(pattern)
      entry.subscribers[id] = subscriber
    }
  }

  mutating func remove(_ subscriber: Subscriber, _ glob: Glob) {
    let id = ObjectIdentifier(subscriber)
    if glob.compiled.isEmpty {
      matchingAll?.subscribers[id] = nil
      if matchingAll?.subscribers.isEmpty == true { matchingAll = nil }
    }
    for pattern in glob.compiled {
      guard let entry = entries[pattern.key] else { continue }
      entry.subscribers[id] = nil
      if entry.subscribers.isEmpty { remove(entry, pattern.key) }
    }
  }

  private mutating func insert(_ pattern: ClientPattern) -> Entry {
    let entry = Entry(pattern)
    entries[pattern.key] = entry
    guard let prefix = entry.prefix else { return entry }
    if buckets[prefix] == nil { prefixLengths[prefix.count, default: 0] += 1 }
    entry.place = buckets[prefix, default: []].count
    buckets[prefix, default: []].append(entry)
    return entry
  }

  private mutating func remove(_ entry: Entry, _ key: [UInt8]) {
    entries[key] = nil
    guard let prefix = entry.prefix, let last = buckets[prefix]?.popLast() else { return }
    if last !== entry {
      last.place = entry.place
      buckets[prefix]?[entry.place] = last
    }
    guard buckets[prefix]?.isEmpty == true else { return }
    buckets[prefix] = nil
    let left = prefixLengths[prefix.count, default: 1] - 1
    prefixLengths[prefix.count] = left == 0 ? nil : left
  }

  // MARK: Names

  /// Returns the entries that may match a name, in lists that were not copied. An entry may be in two of them.
  func candidates(for name: ScannedName) -> [[Entry]] {
    var lists: [[Entry]] = []
    if let matchingAll { lists.append([matchingAll]) }
    if let entry = entries[Array(name.text.utf8)] { lists.append([entry]) }
    for length in prefixLengths.keys where length <= name.scalars.count {
      if let bucket = buckets[Array(name.scalars.prefix(length))] { lists.append(bucket) }
    }
    return lists
  }
}
