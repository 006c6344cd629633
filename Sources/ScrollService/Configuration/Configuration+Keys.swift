import Platform
import ScrollModel

extension Configuration {
  /// A key of the configuration, with its section and its effect.
  struct Key: Sendable {
    var section: String
    var name: String
    /// The values that the key accepts, worded to follow “expected”.
    var expected: String
    /// Sets the value from text found at a place; returns false if the text is not a valid value.
    var set: @Sendable (inout Configuration, String, SettingPlace) -> Bool
    /// Restores the default.
    var reset: @Sendable (inout Configuration) -> Void
  }

  /// All keys except those of policy sections.
  static let keys: [Key] = [
    Key("Log", "Sync", "commit, interval or never", \.sync) { Sync(rawValue: $0) },
    Key("Log", "SyncIntervalSec", "a time span from 1ms to 1h, such as 500ms", \.syncInterval) {
      TimeSpan.microseconds($0).flatMap { (1000...3_600_000_000).contains($0) ? $0 : nil }
    },
    Key("Log", "SegmentSize", "a size from 1M to 1G, such as 64M", \.segmentSize) {
      ByteSize.bytes($0).flatMap { (1 << 20...1 << 30).contains($0) ? $0 : nil }
    },
    Key("Log", "Compress", "yes or no", \.compress) { SettingValue.boolean($0) },
    Key(
      "Log", "MaxUse", "a size such as 1G, or a percentage of the file system, at most 100%, such as 10%", \.maximumUse
    ) {
      SettingValue.diskShare($0).map { .some($0) }
    },
    Key(
      "Log", "KeepFree", "a size such as 1G, or a percentage of the file system, at most 100%, such as 15%", \.keepFree
    ) {
      SettingValue.diskShare($0).map { .some($0) }
    },
    Key("Log", "MaxRetentionSec", "a time span such as 1month, or 0 for any age", \.maximumRetention) {
      TimeSpan.microseconds($0).map { $0 == 0 ? .max : $0 }
    },
    Key("Sessions", "Policy", "a policy's name", \.defaultPolicy) { $0 },
    Key("Sessions", "SessionIdleSec", "a time span of 1s or more, such as 1day, or infinity", \.sessionIdle) {
      TimeSpan.microseconds($0).flatMap { $0 >= 1_000_000 ? $0 : nil }
    },
    Key("Access", "Feeders", accountsOf: \.feeders),
    Key(
      section: "Access", name: "ObserversGroup", expected: "a group's name",
      set: { configuration, text, place in
        configuration.observersGroup = AccountName(text, at: place)
        return true
      },
      reset: { $0.observersGroup = Configuration().observersGroup }),
    Key("Access", "Managers", accountsOf: \.managers),
    Key("Access", "Relays", accountsOf: \.relays),
    Key("Limits", "MessageSizeMax", "a size from 4K to 256M, such as 1M", \.maximumMessageSize) {
      ByteSize.bytes($0).flatMap { (4 << 10...256 << 20).contains($0) ? $0 : nil }
    },
    Key("Limits", "ConnectionsMax", "a number from 1 to 1000000", \.maximumConnections) {
      SettingValue.count($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    },
    Key("Limits", "ConnectionsPerUserMax", "a number from 1 to 1000000", \.maximumConnectionsPerUser) {
      SettingValue.count($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    },
    Key("Limits", "SessionsPerUserMax", "a number from 1 to 1000000", \.maximumSessionsPerUser) {
      SettingValue.count($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    },
    Key("Limits", "SubscriptionsPerUserMax", "a number from 1 to 1000000", \.maximumSubscriptionsPerUser) {
      SettingValue.count($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    },
    Key("Limits", "EventsPerSecondPerUserMax", "a number from 1 to 1000000000", \.maximumEventsPerSecond) {
      SettingValue.count($0).flatMap { (1...1_000_000_000).contains($0) ? $0 : nil }
    },
    Key("Limits", "BytesPerSecondPerUserMax", "a size from 64K to 1T, such as 8M", \.maximumBytesPerSecond) {
      ByteSize.bytes($0).flatMap { (64 << 10...1 << 40).contains($0) ? $0 : nil }
    },
    Key("Limits", "BufferMax", "a size from 1M to 64G, such as 256M", \.maximumBuffer) {
      ByteSize.bytes($0).flatMap { (1 << 20...64 << 30).contains($0) ? .some(.some($0)) : nil }
    },
    Key("Limits", "BufferPerUserMax", "a size from 1M to 64G, such as 64M", \.maximumBufferPerUser) {
      ByteSize.bytes($0).flatMap { (1 << 20...64 << 30).contains($0) ? .some(.some($0)) : nil }
    },
    Key("Limits", "OutputMax", "a size from 16K to 64M, such as 256K", \.maximumOutput) {
      ByteSize.bytes($0).flatMap { (16 << 10...64 << 20).contains($0) ? $0 : nil }
    },
  ]
}

extension Configuration.Key {
  /// Creates a key for a property. `read` returns `nil` for text that is not a valid value.
  init<Value: Sendable>(
    _ section: String, _ name: String, _ expected: String, _ path: WritableKeyPath<Configuration, Value> & Sendable,
    _ read: @escaping @Sendable (String) -> Value?
  ) {
    self.init(
      section: section, name: name, expected: expected,
      set: { configuration, text, _ in
        guard let value = read(text) else { return false }
        configuration[keyPath: path] = value
        return true
      },
      reset: { $0[keyPath: path] = Configuration()[keyPath: path] })
  }

  /// Creates a key for a list of users and groups.
  init(_ section: String, _ name: String, accountsOf path: WritableKeyPath<Configuration, [AccountName]> & Sendable) {
    self.init(
      section: section, name: name, expected: "a space-separated list of users, and of groups with @",
      set: { configuration, text, place in
        // As in systemd, each assignment extends the list, and an empty one clears it.
        configuration[keyPath: path] += SettingValue.words(text).map { AccountName($0, at: place) }
        return true
      },
      reset: { $0[keyPath: path] = [] })
  }
}
