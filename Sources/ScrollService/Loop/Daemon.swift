import CSystemd
import Platform
import ScrollLog

/// The daemon as a program runs it: reads the configuration, opens the log, serves, and stops in order.
public struct Daemon {
  /// The version of the daemon and its interfaces.
  public static let version = ServiceInterfaces.version

  /// The exit statuses that say more than that it failed (sysexits.h).
  public enum ExitStatus {
    /// It stopped in order, be it before it served.
    public static let success: Int32 = 0
    /// It failed.
    public static let failure: Int32 = 1
    /// The log is damaged where it was synced, and `scrollctl repair` is the way out; or something else than a file stands where
    /// one of the log should.
    public static let damagedLog: Int32 = 65
    /// The configuration is bad.
    public static let badConfiguration: Int32 = 78
  }

  private let options: DaemonOptions
  private let journal: Journal

  /// A daemon of options.
  public init(_ options: DaemonOptions, journal: Journal = .standardError) {
    self.options = options
    self.journal = journal
  }

  /// Runs until a signal or a failure ends it.
  ///
  /// - Returns: The exit status.
  public func run() -> Int32 {
    blockSignals()
    let reader = Places.configuration(options)
    let configuration: Configuration
    do {
      configuration = try reader.read()
    } catch {
      journal.log(.configurationInvalid(error))
      return ExitStatus.badConfiguration
    }
    do {
      return try serve(configuration, reader)
    } catch is StartGivenUp {
      journal.log(.startCancelled)
      return ExitStatus.success
    } catch OpenError.damaged(let damage) {
      journal.log(.logDamaged(damage))
      return ExitStatus.damagedLog
    } catch let error as OpenError where error.isNoFile {
      journal.log(.startFailed(error))
      return ExitStatus.damagedLog
    } catch let error as OpenError where error.isNoSpace {
      journal.log(.diskFullAtStart(error))
      return ExitStatus.failure
    } catch {
      journal.log(.startFailed(error))
      return ExitStatus.failure
    }
  }

  private func serve(_ configuration: Configuration, _ reader: ConfigurationReader) throws -> Int32 {
    let directory = try Places.stateDirectory(options)
    // The socket comes first: who connects while the log is recovered is served afterwards, and where there can be no socket
    // the log stays as it is.
    let passed = try PassedDescriptors.take()
    let socket = try ListeningSocket.take(options, passed: passed.listening)
    let notifier = Notifier()
    // What the service manager allows for a start is not enough to recover a large log on a slow disk.
    let progress = StartProgress(began: ServiceClock.system.monotonic())
    // Nor does whoever stops the daemon want to wait for it, and the loop, which hears of signals, is not there yet.
    let fileSystem = StartFileSystem(POSIXFileSystem()) {
      !progress.hasEnded && StopSignals.isPending
    } moved: { bytes in
      if let total = progress.moved(bytes, at: ServiceClock.system.monotonic()) { notifier.recovering(bytes: total) }
    }
    let log: OpenedLog
    do {
      log = try EventLog.open(
        directory: directory, fileSystem: fileSystem, options: logOptions(configuration))
    } catch {
      socket.stop()
      throw StopSignals.isPending ? StartGivenUp() : error
    }
    progress.end()
    for note in log.notes { journal.log(.opening(note)) }
    journal.log(.logRead(log.report))
    var warnings: [ConfigurationError] = []
    let access = AccessRules(configuration, warnings: &warnings)
    for warning in warnings { journal.log(.nameUnknown(warning)) }
    let service = try Service(
      log: log, configuration: configuration, access: access,
      readConfiguration: { () throws(ConfigurationError) in try reader.read() }, journal: journal, clock: .system)

    journal.log(.serving(on: socket.place, log: directory, from: service.lastPosition))
    let handOver = HandOver.begin(.ofServiceManager(), passed, journal: journal)
    let loop = try EventLoop(
      service, socket, log, notifier, handOver?.handOver, left: handOver?.left ?? HandOver.Left(), journal: journal)
    let end = try withExtendedLifetime(log.lock) { try loop.run() }
    switch end {
    case .stopped:
      journal.log(.stopped(at: service.lastPosition))
      return ExitStatus.success
    case .damaged(let damage):
      journal.log(.logDamaged(damage))
      return ExitStatus.damagedLog
    case .failed(let reason):
      journal.log(.failed(reason))
      return ExitStatus.failure
    }
  }

  private func logOptions(_ configuration: Configuration) -> LogOptions {
    let mode: SyncMode
    switch configuration.sync {
    case .commit: mode = .commit
    case .interval: mode = .interval(microseconds: configuration.syncInterval)
    case .never: mode = .never
    }
    // Where the boot's id can't be read, as in a confined service, every start counts as one after a boot, and recovery
    // is as careful as then.
    let boot = (try? BootID.current()) ?? BootID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max))
    var options = LogOptions(syncMode: mode, boot: boot)
    options.firstGeneration = max(1, options.now())
    // What is reserved and not written yet counts as the log's, and nothing else finds room there.
    options.preallocation = min(options.preallocation, Int64(configuration.segmentSize) / 4)
    return options
  }

  /// Blocks the signals that the loop waits for, in this thread and in all that it starts, and ignores broken pipes.
  private func blockSignals() {
    SignalSet(StopSignals.all + [.hangUp]).block()
    Signal.brokenPipe.ignore()
  }
}

extension ServiceClock {
  /// The machine's clocks.
  static var system: ServiceClock {
    ServiceClock(wall: Clock.wallMicroseconds, monotonic: Clock.monotonicMicroseconds)
  }
}
