import Foundation
import ScrollModel
import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct ConfigurationTests {
  /// The configuration of some texts, where later ones override earlier ones.
  private func configuration(_ texts: String...) throws -> Configuration {
    var builder = ConfigurationBuilder()
    for (index, text) in texts.enumerated() {
      try builder.add(ConfigurationFile(path: "/\(index + 1).conf", text: Array(text.utf8)))
    }
    return try builder.finish()
  }

  private func problem(_ texts: String...) -> String? {
    do {
      var builder = ConfigurationBuilder()
      for (index, text) in texts.enumerated() {
        try builder.add(ConfigurationFile(path: "/\(index + 1).conf", text: Array(text.utf8)))
      }
      _ = try builder.finish()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Every key with its section, valid values, and invalid values.
  private static let keys: [(section: String, key: String, good: [String], bad: [String])] = [
    ("Log", "Sync", ["interval", "never"], ["Commit", "always", "commit never"]),
    (
      "Log", "SyncIntervalSec", ["500ms", "2", "1min", "1h"],
      ["0", "-1", "1day", "soon", "1 parsec", "infinity", "500us"]
    ),
    ("Log", "SegmentSize", ["1M", "1048576", "512M", "1G"], ["0", "1", "512K", "2G", "64 M", "-1M", "64MB", "1T"]),
    ("Log", "Compress", ["no", "NO", "off", "0", "f", "False"], ["maybe", "2", "-"]),
    ("Log", "MaxUse", ["0", "500M", "2T", "25%", "100%"], ["-1", "10 %", "101%", "%", "1.5G", "+1M", "infinity"]),
    ("Log", "KeepFree", ["0", "1G", "5%"], ["-1", "200%", "some"]),
    ("Log", "MaxRetentionSec", ["1month", "2weeks 3d", "3600", "1year"], ["-1", "1 fortnight", "old"]),
    ("Sessions", "Policy", ["classic", "safari-arrival"], []),
    ("Sessions", "SessionIdleSec", ["1s", "1.5h", "1day 2h", "infinity"], ["0", "500ms", "never", "-5", "1e400"]),
    ("Access", "Feeders", ["alice", "alice @staff 1000 @100"], []),
    ("Access", "ObserversGroup", ["staff", "1000"], []),
    ("Access", "Managers", ["alice", "alice bob 1000"], []),
    ("Access", "Relays", ["alice", "alice @scroll-relays 1000"], []),
    ("Limits", "MessageSizeMax", ["4K", "2M", "256M"], ["1K", "1G", "big"]),
    ("Limits", "ConnectionsMax", ["1", "100000"], ["0", "-1", "many", "1000001", "+5", "1.5"]),
    ("Limits", "ConnectionsPerUserMax", ["1", "5"], ["0", "-1", "1000001"]),
    ("Limits", "SessionsPerUserMax", ["1", "5"], ["0", "-1", "1000001"]),
    ("Limits", "SubscriptionsPerUserMax", ["1", "5"], ["0", "-1", "1000001"]),
    ("Limits", "EventsPerSecondPerUserMax", ["1", "1000000000"], ["0", "-1", "1000000001", "infinity", "1k"]),
    ("Limits", "BytesPerSecondPerUserMax", ["64K", "16M", "1T"], ["0", "1K", "2T", "-1", "fast"]),
    ("Limits", "BufferMax", ["16M", "1G", "64G"], ["1023K", "65G", "-1", "all"]),
    ("Limits", "BufferPerUserMax", ["16M", "1G", "64G"], ["1023K", "65G", "-1", "all"]),
    ("Limits", "OutputMax", ["16K", "1M", "64M"], ["1K", "128M", "x"]),
  ]

  @Test func checkingReportsEveryMistakeInTheOrderOfTheFile() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appendingPathComponent("scrolld.conf")
    let text = """
      [Log]
      Sync=always
      nonsense
      MaxUse=10%
      Colour=red
      [Nowhere]
      Key=1
      [Policy quick]
      HideDistance=far
      Speed=3
      [Policy odd]
      Rule=none
      HideDistance=1
      TopButtonDistance=near
      Warp=1
      [Sessions]
      Policy=nobody
      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    let reader = ConfigurationReader(file: file.path)
    let (configuration, problems) = reader.check()
    #expect(problems.map(\.line) == [2, 3, 5, 6, 9, 10, 12, 14, 15, 17])
    #expect(
      problems.map(\.key) == [
        "Sync", nil, "Colour", nil, "HideDistance", "Speed", "Rule", "TopButtonDistance", "Warp", "Policy",
      ])
    #expect(problems.allSatisfy { $0.file == file.path })
    // What is right in the file counts.
    #expect(configuration.maximumUse == .percent(10))
    // A start stops at one of them.
    let first = try thrown(ConfigurationError.self) { try reader.read() }
    #expect(problems.contains(first))
    try "[Log]\nSync=never\n".write(to: file, atomically: true, encoding: .utf8)
    #expect(reader.check().problems.isEmpty)
  }

  @Test func theTestsTableHasEveryKey() {
    #expect(Configuration.keys.map { "\($0.section) \($0.name)" } == Self.keys.map { "\($0.section) \($0.key)" })
  }

  @Test(arguments: keys.indices)
  func aValidValueSetsItsPropertyAndAnEmptyOneRestoresTheDefault(index: Int) throws {
    let key = Self.keys[index]
    for value in key.good {
      let text = "[\(key.section)]\n\(key.key)=\(value)\n"
      #expect(try configuration(text) != Configuration(), "\(text)")
      #expect(try configuration(text, "[\(key.section)]\n\(key.key)=\n") == Configuration(), "\(text)")
    }
  }

  @Test(arguments: keys.indices)
  func anInvalidValueIsReportedWithFileLineKeyAndWhatIsExpected(index: Int) throws {
    let key = Self.keys[index]
    let expected = try #require(Configuration.keys.first { $0.name == key.key }?.expected)
    for value in key.bad {
      #expect(
        problem("", "# a comment\n[\(key.section)]\n\n\(key.key)=\(value)\n")
          == "/2.conf:4: \(key.key)=: invalid value “\(value)”: expected \(expected)")
    }
  }

  @Test func valuesAreReadWithTheirUnits() throws {
    let read = try configuration(
      "[Log]\nSync=interval\nSyncIntervalSec=1min 30s\nSegmentSize=2M\n[Sessions]\nSessionIdleSec=1.5h\n"
        + "[Limits]\nConnectionsMax=7\nOutputMax=32K\n")
    #expect(read.sync == .interval)
    let kept = try configuration("[Log]\nMaxUse=1G\nKeepFree=5%\nMaxRetentionSec=1month 1y\n")
    #expect(kept.maximumUse == .bytes(1 << 30))
    #expect(kept.keepFree == .percent(5))
    #expect(kept.maximumRetention == 2_630_016_000_000 + 31_557_600_000_000)
    #expect(try configuration("[Log]\nMaxRetentionSec=0").maximumRetention == .max)
    #expect(read.syncInterval == 90_000_000)
    #expect(read.segmentSize == 2_097_152)
    #expect(read.sessionIdle == 5_400_000_000)
    #expect(read.maximumConnections == 7)
    #expect(read.maximumOutput == 32768)
    #expect(try configuration("[Sessions]\nSessionIdleSec=infinity").sessionIdle == .max)
  }

  @Test func laterFilesWinAndListsAddUp() throws {
    let read = try configuration(
      "[Log]\nSync=never\n[Access]\nManagers=alice\n", "[Access]\nManagers=bob carol\n[Log]\nSync=interval\n")
    #expect(read.sync == .interval)
    #expect(read.managers == ["alice", "bob", "carol"])
    #expect(try configuration("[Access]\nManagers=alice\nManagers=\nManagers=bob\n").managers == ["bob"])
  }

  @Test func buffersHoldTheLargestMessage() throws {
    let read = try configuration("[Limits]\nMessageSizeMax=16M\nBufferMax=16M\nBufferPerUserMax=16M\n")
    #expect(read.bufferLimit == 16 << 20)
    #expect(read.bufferLimitPerUser == 16 << 20)
    #expect(Configuration().bufferLimit == 256 << 20)
    #expect(Configuration().bufferLimitPerUser == 64 << 20)
    // Unset limits follow those that are set.
    let large = try configuration("[Limits]\nMessageSizeMax=32M\n")
    #expect(large.bufferLimitPerUser == 128 << 20)
    #expect(large.bufferLimit == 512 << 20)
    for key in ["BufferMax", "BufferPerUserMax"] {
      #expect(
        problem("[Limits]\n\n\(key)=16M\n", "[Limits]\nMessageSizeMax=17M\n")
          == "/1.conf:3: \(key)=: must not be less than MessageSizeMax=, which is 17825792")
    }
  }

  @Test func unknownNamesAreReportedWithTheKnownOnes() {
    #expect(
      problem("[Logs]\n")
        == "/1.conf:1: unknown section [Logs]; the sections are [Log], [Sessions], [Access], [Limits] and [Policy NAME]"
    )
    #expect(
      problem("[Log]\nsync=never\n")
        == "/1.conf:2: sync=: unknown key in [Log] (did you mean Sync?); the keys are Sync, SyncIntervalSec, SegmentSize, "
        + "Compress, MaxUse, KeepFree, MaxRetentionSec")
    #expect(
      problem("[Sessions]\nSync=never\n")
        == "/1.conf:2: Sync=: unknown key in [Sessions]; the keys are Policy, SessionIdleSec")
  }

  // MARK: Policies

  @Test func aPolicyIsARuleWithParametersAndClients() throws {
    let read = try configuration(
      "[Policy calm]\nRule=safari\nClients=feed/* reader\nClients=pager\nHideDistance=24\nRevealAtBottom=arrival\n"
        + "[Policy plain]\nRule=classic\nTopButtonDistance=100\n")
    var calm = SafariRule()
    calm.hideDistance = 24
    calm.revealAtBottom = .arrival
    var plain = ClassicRule()
    plain.topButtonDistance = 100
    #expect(
      read.policySections == [
        .init(policy: Policy(name: "calm", rule: .safari(calm)), clients: ["feed/*", "reader", "pager"]),
        .init(policy: Policy(name: "plain", rule: .classic(plain)), clients: []),
      ])
  }

  @Test func aDropInChangesAPolicyAndAnEmptyValueRestoresTheRulesDefault() throws {
    let read = try configuration(
      "[Policy calm]\nHideDistance=24\nShowDistance=30\nClients=feed/*\n",
      "[Policy calm]\nHideDistance=\nShowDistance=31\nClients=\nClients=reader\n")
    var rule = SafariRule()
    rule.showDistance = 31
    #expect(read.policySections == [.init(policy: Policy(name: "calm", rule: .safari(rule)), clients: ["reader"])])
  }

  @Test func everyParameterOfARuleIsAKey() throws {
    for rule in ["classic", "safari"] {
      let policy = try Policy(name: "p", ruleNamed: rule)
      for parameter in policy.parameters {
        let key = parameter.name.prefix(1).uppercased() + parameter.name.dropFirst()
        let value = parameter.name == "revealAtBottom" ? "never" : "77"
        let read = try configuration("[Policy p]\nRule=\(rule)\n\(key)=\(value)\n").policySections[0].policy
        #expect(read.parameters.first { $0.name == parameter.name }?.value == value)
      }
    }
  }

  @Test(arguments: [
    ("Rule=chrome", "Rule=: unknown rule “chrome”: it must be classic or safari"),
    ("HideDistance=far", "HideDistance=: hideDistance is “far”: it must be a finite number of 0 or more"),
    ("HideDistance=-1", "HideDistance=: hideDistance is “-1”: it must be a finite number of 0 or more"),
    ("HideDistance=nan", "HideDistance=: hideDistance is “nan”: it must be a finite number of 0 or more"),
    (
      "RevealAtBottom=sometimes",
      "RevealAtBottom=: revealAtBottom is “sometimes”: it must be secondPull, arrival or never"
    ),
  ])
  func anInvalidPolicyIsReportedWithItsPlace(line: String, message: String) {
    #expect(problem("\n[Policy calm]\n\(line)\n") == "/1.conf:3: \(message)")
  }

  @Test func anUnknownParameterIsReportedWithTheKnownOnes() {
    let found = problem("[Policy plain]\nHideDistance=3\n", "[Policy plain]\nRule=classic\n")
    #expect(
      found == "/1.conf:2: HideDistance=: unknown key in [Policy plain], whose rule is classic; "
        + "the keys are Rule, Clients, TopButtonDistance")
    let unknown =
      "/1.conf:2: WarpFactor=: unknown key in [Policy p], whose rule is safari; the keys are Rule, Clients, Hide"
    #expect(problem("[Policy p]\nWarpFactor=9\n")?.hasPrefix(unknown) == true)
    #expect(problem("[Policy p]\nWarpFactor=\n")?.hasPrefix(unknown) == true)
    let misspelled =
      "/1.conf:2: HideDistanze=: unknown key in [Policy p], whose rule is safari (did you mean HideDistance?); "
    #expect(problem("[Policy p]\nHideDistanze=9\n")?.hasPrefix(misspelled) == true)
  }

  @Test func aParameterOfAnUnknownRuleIsReportedWithTheKeysOfAllRules() throws {
    var builder = ConfigurationBuilder()
    try builder.add(ConfigurationFile(path: "/1.conf", text: Array("[Policy p]\nRule=warp\nWarpFactor=9\n".utf8)))
    var problems: [ConfigurationError] = []
    _ = builder.finish(problems: &problems)
    #expect(problems.count == 2)
    let keys =
      "/1.conf:3: WarpFactor=: unknown key in [Policy p]: no rule has it; the keys are Rule, Clients, HideDistance, "
    #expect(problems.last?.description.hasPrefix(keys) == true, "\(problems)")
  }

  @Test func aPercentageHasAGreatestValue() {
    #expect(
      problem("[Log]\nMaxUse=200%\n")
        == "/1.conf:2: MaxUse=: invalid value “200%”: expected a size such as 1G, or a percentage of the file system, at most "
        + "100%, such as 10%")
  }

  @Test func theDefaultPolicyMustExist() throws {
    let read = try configuration("[Sessions]\nPolicy=calm\n[Policy calm]\nHideDistance=24\n")
    #expect(read.policy(named: read.defaultPolicy)?.name == "calm")
    let found = problem("[Sessions]\nPolicy=clam\n[Policy calm]\nHideDistance=24\n")
    #expect(
      found?.hasPrefix("/1.conf:2: Policy=: unknown policy “clam” (did you mean calm?); the policies are calm, ")
        == true)
    // A policy that replaces a preset is named once.
    let replaced = problem("[Sessions]\nPolicy=x\n[Policy safari]\nHideDistance=24\n")
    #expect(replaced?.contains("the policies are safari, safari-arrival, classic, ") == true, "\(replaced ?? "")")
    #expect(problem("[Policy ]\n") == "/1.conf:1: a policy name must have 1 to 64 bytes and no control characters")
  }

  @Test func theFirstMatchingSectionAppliesToAClient() throws {
    let daemon = try TestDaemon {
      $0.policySections = [
        .init(policy: Policy(name: "first", rule: .classic(ClassicRule())), clients: ["feed/*", "reader"]),
        .init(policy: Policy(name: "second", rule: .classic(ClassicRule())), clients: ["*/1", "p?ger", "[xy]"]),
        .init(policy: Policy(name: "nobody's", rule: .classic(ClassicRule())), clients: []),
      ]
      $0.defaultPolicy = "nobody's"
    }
    let expected = [
      "feed/1": "first", "feed/a/b": "first", "reader": "first", "reader/1": "second", "pager": "second",
      "x": "second", "z": "nobody's",
    ]
    for (client, policy) in expected {
      #expect(daemon.service.settings.policy(for: client).name == policy, "\(client)")
    }
  }

  @Test func theShippedFileHasEveryKeyWithItsDefault() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let shipped = try String(contentsOf: root.appendingPathComponent("config/scrolld.conf"), encoding: .utf8)
    #expect(try configuration(shipped) == Configuration())
    // Its commented-out assignments.
    let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false)
    let uncommented = lines.map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") && line.count > 1 ? String(line.dropFirst()) : String(line)
    }
    let text = uncommented.joined(separator: "\n")
    var read = try configuration(text)
    #expect(!read.policySections.isEmpty)
    read.policySections = []
    #expect(read == Configuration())
    let named = try ConfigurationFile(path: "", text: Array(text.utf8)).assignments.map(\.key)
    for key in Configuration.keys { #expect(named.contains(key.name), "\(key.name)") }
  }
}
