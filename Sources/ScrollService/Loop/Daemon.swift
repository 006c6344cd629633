import CSystemd
import Platform
import ScrollLog

/// The daemon as a program: it reads the configuration, opens the log, serves clients, and shuts down cleanly.
public struct Daemon {
  /// The version of the daemon and its interfaces.
  public static let version = ServiceInterfaces.version

  /// The exit statuses, the larger ones as in sysexits.h.
  public enum ExitStatus {
    /// The daemon was asked to stop, and shut down cleanly.
    public static let success: Int32 = 0
    /// The daemon failed.
    public static let failure: Int32 = 1
    /// A synced part of the log is damaged, and `scrollctl repair` is needed; or a file of the log is not a regular
    /// file.
    public static let damagedLog: Int32 = 65
    /// A file or directory belongs to somebody else, or other users could change it.
    public static let noPermission: Int32 = 77
    /// The configuration is invalid.
    public static let badConfiguration: Int32 = 78
  }

  private let options: DaemonOptions
  private let journal: Journal

  /// Creates a daemon.
  public init(_ options: DaemonOptions, journal: Journal = .standardError) {
    self.options = options
    self.journal = journal
  }

  /// Runs until a signal or a failure ends the daemon.
  ///
  /// - Returns: The exit status.
  public func run() -> Int32 {
    Self.blockSignals()
    let reader = Places.configuration(options)
    let configuration: Configuration
    do {
      configuration = try reader.read(checkedBy: Places.checkCommand(options.configurationFile))
    } catch {
      if error.isPermissionDenied {
        journal.log(.startFailed(error))
        return ExitStatus.noPermission
      }
      journal.log(.configurationInvalid(error))
      return ExitStatus.badConfiguration
    }
    do {
      return try serve(configuration, reader)
    } catch is StartCancelled {
      journal.log(.startCancelled)
      return ExitStatus.success
    } catch OpenError.damaged(let damage) {
      journal.log(.logDamaged(damage))
      return ExitStatus.damagedLog
    } catch OpenError.foreign(let damage) {
      journal.log(.startFailed(OpenError.foreign(damage)))
      return ExitStatus.damagedLog
    } catch let error as OpenError where error.isNoFile {
      journal.log(.startFailed(error))
      return ExitStatus.damagedLog
    } catch let problem as TrustedDirectory.Problem {
      journal.log(.startFailed(problem))
      return ExitStatus.noPermission
    } catch let error as OpenError where error.isNoSpace {
      journal.log(.diskFullAtStart(error))
      return ExitStatus.failure
    } catch {
      journal.log(.startFailed(error))
      return ExitStatus.failure
    }
  }

  /// Checks the configuration without running.
  ///
  /// - Parameter print: Prints a line: every mistake with its place, or which files are valid.
  /// - Returns: The exit status: that of a start, as far as it depends on the configuration.
  public func checkConfiguration(_ print: (_ line: String, _ isProblem: Bool) -> Void) -> Int32 {
    let reader = Places.configuration(options)
    let (configuration, problems) = reader.check()
    for problem in problems { print("\(problem)", true) }
    var warnings: [ConfigurationError] = []
    _ = AccessRules(configuration, warnings: &warnings)
    for warning in warnings { print("warning: \(warning)", true) }
    if problems.contains(where: \.isPermissionDenied) { return ExitStatus.noPermission }
    if !problems.isEmpty { return ExitStatus.badConfiguration }
    let files = (try? reader.paths()) ?? []
    print(
      files.isEmpty
        ? "there is no configuration file: the defaults are in force"
        : "the configuration is valid: \(files.joined(separator: ", "))", false)
    return ExitStatus.success
  }

  private func serve(_ configuration: Configuration, _ reader: ConfigurationReader) throws -> Int32 {
    let directory = try Places.stateDirectory(options)
    // The socket comes first: clients that connect during the recovery are served afterwards, and if the socket can't
    // be made, the log is not touched.
    let passed = try PassedDescriptors.take()
    let socket = try ListeningSocket.take(options, passed: passed.listening)
    let notifier = Notifier()
    // The service manager's time limit for a start is too short to recover a large log on a slow disk.
    let progress = StartProgress(began: ServiceClock.system.monotonic())
    // A stop must not wait for the recovery either, and the loop that receives signals does not exist yet.
    let fileSystem = StartFileSystem(POSIXFileSystem()) {
      !progress.hasEnded && StopSignals.isPending
    } transferred: { bytes in
      if let total = progress.add(bytes, at: ServiceClock.system.monotonic()) { notifier.recovering(bytes: total) }
    }
    let handOver = HandOver.begin(.ofServiceManager(), passed, journal: journal)
    let inherited = handOver?.inherited ?? HandOver.Inherited()
    let log: OpenedLog
    var options = logOptions(configuration, directory)
    options.seen = inherited.seen
    do {
      log = try EventLog.open(directory: directory, fileSystem: fileSystem, options: options)
    } catch {
      socket.stop()
      throw StopSignals.isPending ? StartCancelled() : error
    }
    progress.end()
    for note in log.notes { journal.log(.opening(note)) }
    journal.log(.logRead(log.report))
    var warnings: [ConfigurationError] = []
    let access = AccessRules(configuration, warnings: &warnings)
    for warning in warnings { journal.log(.nameUnknown(warning)) }
    let clockFile = ClockFile(directory: directory, boot: options.boot)
    let journal = journal
    let logClock = LogClock(.system, after: log.projection.received, memory: clockFile.read(), journal: journal) {
      do throws(SystemError) { try clockFile.write($0) } catch { journal.log(.clockNotSaved(error)) }
    }
    // A caller of Reload may be in another directory.
    let check = Places.checkCommand(self.options.configurationFile.map(Places.absolute))
    let service = try Service(
      log: log, configuration: configuration, access: access,
      readConfiguration: { () throws(ConfigurationError) in try reader.read(checkedBy: check) }, journal: journal,
      clock: .system, logClock: logClock)

    journal.log(.serving(on: socket.place, log: directory, from: service.lastPosition))
    let loop = try EventLoop(
      service, socket, log, notifier, handOver?.handOver, inherited: inherited, journal: journal)
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

  private func logOptions(_ configuration: Configuration, _ directory: String) -> LogOptions {
    let mode: SyncMode
    switch configuration.sync {
    case .commit: mode = .commit
    case .interval: mode = .interval(microseconds: configuration.syncInterval)
    case .never: mode = .never
    }
    // If the boot's id can't be read, for example in a confined service, every start is treated like the first one
    // after a boot, with the most careful recovery.
    let boot = (try? BootID.current()) ?? BootID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max))
    var options = LogOptions(syncMode: mode, boot: boot)
    options.firstGeneration = max(1, options.now())
    // Reserved space counts as used by the log, and nothing else can use it.
    let parent = directory.lastIndex(of: "/").map { String(directory[...$0]) } ?? "."
    let space = (try? Files.space(of: directory)) ?? (try? Files.space(of: parent))
    let size = Retention.Settings(configuration).segmentSize(space, use: 0, usedAtStart: 0)
    options.preallocation = min(options.preallocation, size / 4)
    return options
  }

  /// Blocks the signals that the loop waits for, in this thread and all that it starts, and ignores SIGPIPE.
  ///
  /// Call it before anything else: a signal that arrives earlier ends the process.
  public static func blockSignals() {
    SignalSet(StopSignals.all + [.hangUp]).block()
    Signal.brokenPipe.ignore()
  }
}

extension ServiceClock {
  /// The machine's clocks.
  static var system: ServiceClock {
    ServiceClock(
      wall: Clock.wallMicroseconds, monotonic: Clock.monotonicMicroseconds, boot: Clock.bootMicroseconds)
  }
}

/// A start that was asked to stop before it served clients.
private struct StartCancelled: Error {}
