/// A kind of journal entry.
///
/// The raw value is the entry's `MESSAGE_ID=`, by which `journalctl -x` finds the explanation in
/// `systemd/scrolld.catalog`. It never changes, even when the messages do.
enum JournalKind: String, CaseIterable, Sendable {
  // Start and stop.
  case serving = "c20e0e6b9bfb49c88bafa2e696103736"
  case stopped = "20472eb0eae84fb2af2cb08e3cd8692c"
  case startCancelled = "996c4211e37540358d50f7f34add2f4e"
  case failed = "5af700c1a4a848ef8bf0454b4a3c5554"
  case startFailed = "91794991d7274b93b3e08fa6cbbe2e9a"

  // Configuration.
  case configurationInvalid = "1a26e592698240bd99a4caa51ef5c07d"
  case configurationKept = "1788f8f4137d42bb8a55b3a79fb99603"
  case configurationReloaded = "2e6c43a635a54df7ba912b8dc5325855"
  case needsRestart = "36048b9c336449079708a7af63e1e301"
  case nameUnknown = "1a1a4886edc0495e94ac8f46ba7b0ac2"

  // The log.
  case logBegun = "e7972517a5614dbc80a10e5fb52b534f"
  case logRead = "512d8e50062c4e80923ebddd80b2c66d"
  case snapshotFailed = "59729c016991492f9d9a6f57d62b3516"
  case logRecovered = "b0b6e3d1f6f544598b817ba03325b9ab"
  case tornTailCut = "2de324764b764a3dbfde2cc863c7bebf"
  case generationBegun = "240c8cbc30f6490983ca8b04e411c9b0"
  case foldChanged = "f4e1e2fa939249d4836c3462a6b07e72"
  case logDamaged = "8f668e2c227846d38d5decc9b6d83d6e"
  case segmentDamaged = "2f1abc25f8cc4d4bb1fc7410f34dc3c9"
  case readFailed = "5e5a1e36a20743c1a3ab072b54ec7b92"
  case diskFull = "a934991baff34e25a2948db288694683"
  case diskFullAtStart = "efee951db39148e19908d5dd3ea53e7c"
  case spaceAvailable = "12a1cffc7b2f469ea569aece72caf2d2"
  case noSpaceForSegment = "8e1b1f2c7e224bd4950e8d2075fa2764"
  case spaceUnknown = "78ee2ef387ae44639ab96f2ae03eda62"
  case removing = "693e7528b47149efb081273ba0ddf319"
  case sizesContradict = "b4774b4a12aa491fa957898b4d827b9c"
  case shareExceeded = "a979145d2ebc4ce89737205468da7a46"
  case removalDelayed = "ebbb858a09a64f6d8141af271bc8ef94"
  case removalFailed = "6b7490c5695a4397bae866b73d76087e"
  case packingFailed = "2bc72f6975ec4d92b09ae30deaa36e71"
  case packingPostponed = "90046c4adcba4c51b732901041d29909"
  case forgotten = "2dfe62a17eee4dbd97c361a6391501d0"
  case forgettingFailed = "fb4c0cf473ee4ee4ac76b9983fc69e39"

  case forgottenKeyMissing = "5b7d0f7f3c5b4bb6a6a4b9b2c2f94a1e"

  case clockJumped = "30842e8b180648c1816120e75961609f"
  case clockDiffers = "2f9edd3c717d4113b65ff3ed56ab380e"
  case clockNotSaved = "dc2e350db0604c3eaa13cea6496033f7"

  // Clients.
  case connectionRefused = "bf9c2446bd3b41e09d4cbf25e936a485"
  case connectionFailed = "28c2e148bf274a428a6ab1b871668555"
  case protocolViolated = "af37d6fe4aab44c5bba521ecf71f8ce9"
  case onewayRefused = "26ec67c396c4452f96bcada098bfb371"
  case permissionDenied = "77a4725fdf8e4cda91ce7bbd8d553af7"
  case throttled = "c3fe1535ae984b10a1045afa0665c8d2"
  case incompleteMessagesThrottled = "d03e721f77f440b89444cf0ffa411c52"
  case connectionDropped = "0fbc0f674d8b4ce4b11cc75c4f2de19d"
  case refusalsSuppressed = "89667da2bb6043c4ac3016e35cac624c"
  case entriesSuppressed = "93cd60c2c76b449892a459361ecb5318"
  case sessionOpened = "5dcda32b01584a0d955c368e57db0a51"
  case sessionClosed = "a2f514ac128a4d499af10edfce83a33b"
  case sessionsSuppressed = "ae54667aeb1d40c0bec541491773cc4e"

  // Connections that outlive the daemon.
  case handedOver = "9a1350e2d1e84ee5a6f7428f77e18773"
  case takenOver = "b58d2a4e1e0f4a4c88e9e37f574f27ce"
  case connectionsLost = "8da1e6bf3f724beb9466a093d054c5ad"
  case savedConnectionsUnreadable = "e2cb6e20845f47409f2de08f4979f582"
  case handOverFailed = "134e7c9e6552450dbd8bffa4f4b0eeab"

  /// The priority of entries of this kind.
  var priority: JournalPriority {
    switch self {
    case .failed, .startFailed, .configurationInvalid, .configurationKept, .logDamaged, .segmentDamaged, .readFailed,
      .diskFull, .diskFullAtStart, .connectionFailed:
      .error
    case .clockJumped, .clockDiffers, .clockNotSaved, .nameUnknown, .tornTailCut, .generationBegun, .noSpaceForSegment,
      .spaceUnknown, .removalFailed, .forgettingFailed, .forgottenKeyMissing, .packingFailed, .snapshotFailed,
      .savedConnectionsUnreadable, .handOverFailed:
      .warning
    case .needsRestart, .sizesContradict, .shareExceeded, .logRecovered, .foldChanged, .spaceAvailable, .removalDelayed,
      .packingPostponed,
      .connectionRefused, .protocolViolated, .onewayRefused, .permissionDenied, .throttled,
      .incompleteMessagesThrottled, .connectionDropped, .refusalsSuppressed, .entriesSuppressed, .connectionsLost:
      .notice
    case .serving, .stopped, .startCancelled, .configurationReloaded, .logBegun, .logRead, .removing, .forgotten,
      .handedOver, .takenOver:
      .info
    case .sessionOpened, .sessionClosed, .sessionsSuppressed: .debug
    }
  }
}

/// The priority of a journal entry, with the numbers of syslog(3): the lower, the more important.
enum JournalPriority: Int32, Comparable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  /// Stored by the journal if the unit's `LogLevelMax=` permits it, and never written to a plain standard error.
  case debug = 7

  static func < (left: JournalPriority, right: JournalPriority) -> Bool { left.rawValue < right.rawValue }
}
