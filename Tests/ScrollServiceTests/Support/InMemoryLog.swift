import ScrollLogTesting
import ScrollModel

@testable import ScrollLog
@testable import ScrollService

extension EventLog {
  /// Opens a log in memory as the daemon would, with small parts, so that small segments have several of them once packed.
  static func openForTests(
    _ fileSystem: FaultyFileSystem, _ configuration: Configuration = Configuration(), boot: UInt64 = 1,
    checkedAtStart: Int64 = 4 << 20, foldVersion: UInt32 = Policy.foldVersion
  ) throws -> OpenedLog {
    let mode: SyncMode
    switch configuration.sync {
    case .commit: mode = .commit
    case .interval: mode = .interval(microseconds: configuration.syncInterval)
    case .never: mode = .never
    }
    var options = LogOptions(syncMode: mode, boot: BootID(high: 0, low: boot))
    options.preallocation = 8192
    options.now = { 1_700_000_000_000_000 }
    options.monotonic = { 0 }
    options.checkedAtStart = checkedAtStart
    options.foldVersion = foldVersion
    options.packing = PackingSizes(block: 2048, blockRecords: 64, checkpointDistance: 4096)
    return try open(directory: TestDaemon.directory, fileSystem: fileSystem, options: options)
  }
}
