import Platform
import ScrollLog
import ScrollModel
import Varlink

// MARK: Start and stop

extension JournalEntry {
  /// The daemon is ready for clients.
  static func serving(on place: String, log directory: String, from position: Position) -> JournalEntry {
    JournalEntry(.serving, "serving on \(place), log in \(directory)", [.position(position)])
  }

  /// The daemon shut down cleanly.
  static func stopped(at position: Position) -> JournalEntry {
    JournalEntry(.stopped, "stopped cleanly at position \(position)", [.position(position)])
  }

  /// The daemon was asked to stop before it was ready.
  static let startCancelled = JournalEntry(
    .startCancelled, "asked to stop before the log was open: no client was served, and the next start begins again")

  /// The daemon exits because the disk failed.
  static func failed(_ reason: String) -> JournalEntry {
    JournalEntry(.failed, "\(reason): exiting, so that the next start recovers what is really on disk")
  }

  /// The daemon can't start.
  static func startFailed(_ error: any Error) -> JournalEntry { JournalEntry(.startFailed, "\(error)") }
}

// MARK: Configuration

extension JournalEntry {
  /// The daemon doesn't start because its configuration is invalid.
  static func configurationInvalid(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(.configurationInvalid, "invalid configuration: \(error)\(rest(of: error))", fields(of: error))
  }

  /// What a message says about an invalid configuration's other errors.
  private static func rest(of error: ConfigurationError) -> String {
    if error.others == 0 { return "" }
    let rest = "; \(error.others) more \(error.others == 1 ? "mistake" : "mistakes")"
    return error.check.map { "\(rest): “\($0)” lists all" } ?? rest
  }

  /// A reload failed because the new configuration is invalid.
  static func configurationKept(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(
      .configurationKept, "invalid configuration, keeping the old one: \(error)\(rest(of: error))", fields(of: error))
  }

  private static func fields(of error: ConfigurationError) -> [Field] {
    [.configurationFile(error.file)] + (error.line.map { [.configurationLine($0)] } ?? [])
  }

  /// A reload succeeded.
  static let configurationReloaded = JournalEntry(.configurationReloaded, "configuration reloaded")

  /// A reload changed keys that only a start applies.
  static let needsRestart = JournalEntry(.needsRestart, restartWarning)

  /// The warning about keys that only a start applies.
  static let restartWarning = "changes of Sync= and SyncIntervalSec= take effect at the next start"

  /// The configuration names an unknown user or group.
  static func nameUnknown(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(.nameUnknown, "\(error)", fields(of: error))
  }
}

// MARK: The log

extension JournalEntry {
  /// What happened while the log was opened.
  static func opening(_ note: RecoveryNote) -> JournalEntry {
    switch note {
    case .begun: JournalEntry(.logBegun, "\(note)")
    case .removedUnfinished(let file): JournalEntry(.logRecovered, "\(note)", [.logFile(file)])
    case .recovered(let file, let through), .recoveredInPlace(let file, let through):
      JournalEntry(.logRecovered, "\(note)", [.logFile(file), .position(through)])
    case .cutTornTail(let damage, _, let after, _):
      JournalEntry(.tornTailCut, "\(note)", [.logFile(damage.file), .position(after)])
    case .newGeneration(_, let after, _): JournalEntry(.generationBegun, "\(note)", [.position(after)])
    case .otherFold, .refolded, .otherFoldContinues: JournalEntry(.foldChanged, "\(note)")
    case .sealedDamage(let damage), .badIndex(let damage):
      JournalEntry(.segmentDamaged, "\(note)", [.logFile(damage.file)])
    }
  }

  /// How much of the log the start had to read, and why.
  static func logRead(_ report: StartReport) -> JournalEntry { JournalEntry(.logRead, "\(report)") }

  /// A query about the past needs records that another version of the fold folded.
  static func refolding(version: UInt32, before position: Position) -> JournalEntry {
    JournalEntry(
      .foldChanged,
      "version \(version) of the fold folded the records up to position \(position) when they arrived; queries about them fold "
        + "them again with the current version, and may return states that differ from those reported then",
      [.position(position)])
  }

  /// The daemon could not write a snapshot of the log.
  static func snapshotFailed(_ error: FileError) -> JournalEntry {
    JournalEntry(
      .snapshotFailed, "\(error): the log has no new snapshot, so the next start may have to read more of it")
  }

  /// The log is damaged, found at the start or in what the start had left to read.
  static func logDamaged(_ damage: LogDamage) -> JournalEntry {
    JournalEntry(
      .logDamaged,
      "the log is damaged at a synced position, so the daemon does not serve it: \(damage); "
        + "“scrollctl repair” moves the damaged part aside and keeps it",
      [.logFile(damage.file)])
  }

  /// A client asked for records that can't be read.
  static func readFailed(_ error: ReadError) -> JournalEntry {
    guard case .logDamaged = error else { return JournalEntry(.readFailed, "cannot read the log: \(error)") }
    return JournalEntry(
      .readFailed,
      "cannot read the log: \(error); if “scrollctl verify” finds the damage, “scrollctl repair” makes the rest of the file "
        + "readable")
  }

  /// The daemon refuses appends until there is space.
  static func diskFull(_ error: FileError) -> JournalEntry {
    JournalEntry(.diskFull, "\(error): appends are refused until there is space; everything else continues")
  }

  /// The daemon can't start because the disk is full.
  static func diskFullAtStart(_ error: OpenError) -> JournalEntry {
    JournalEntry(
      .diskFullAtStart,
      "\(error): a start needs space for a new log, and after an unclean stop to rewrite the last segment of the log; "
        + "free some space and start the daemon again; nothing is lost")
  }

  /// The daemon accepts appends again.
  static func spaceAvailable(from position: Position) -> JournalEntry {
    JournalEntry(.spaceAvailable, "there is space again: appends resume at position \(position)", [.position(position)])
  }

  /// The daemon can't begin the next segment of the log.
  static func noSpaceForSegment(_ error: FileError) -> JournalEntry {
    JournalEntry(
      .noSpaceForSegment,
      "\(error): no space for a new segment of the log; continuing in the old one until there is")
  }

  /// The system doesn't report the free space.
  static func spaceUnknown(_ error: FileError) -> JournalEntry {
    JournalEntry(.spaceUnknown, "\(error): free space does not limit the log for now")
  }

  /// The daemon removes the oldest segments.
  static func removing(
    from first: Position, to last: Position, bytes: Int64, segments: Int, why: String
  ) -> JournalEntry {
    JournalEntry(
      .removing, "removing positions \(first) to \(last) of the log, \(bytes) bytes in \(segments) segments, \(why)",
      [.position(last)])
  }

  /// The log is too small for files of the configured size.
  static func segmentSizeReduced(to size: Int64, from configured: Int64) -> JournalEntry {
    JournalEntry(
      .sizesContradict,
      "SegmentSize= is \(configured) bytes, but a file of the log may take at most an eighth of what MaxUse= and KeepFree= "
        + "leave for the log: the daemon begins a new file after \(size) bytes")
  }

  /// The log cannot leave as much space free as the file system has.
  static func keepFreeExceedsDisk(_ keepFree: Int64, total: Int64, allowed: Int64) -> JournalEntry {
    JournalEntry(
      .sizesContradict,
      "KeepFree= keeps \(keepFree) bytes free, but the file system has only \(total) bytes: the daemon removes all files of "
        + "the log but the newest, and the log may take \(allowed) bytes")
  }

  /// Other files leave so little space that the disk is full before the log reaches its limit.
  static func spaceShort(allowed: Int64, used: Int64, available: Int64, keepFree: Int64) -> JournalEntry {
    JournalEntry(
      .sizesContradict,
      "the log takes \(used) bytes and may take \(allowed) by MaxUse= and KeepFree=, but only \(available) bytes are free: "
        + "the disk may fill up, with nothing left of the \(keepFree) bytes of KeepFree= and no room to compress the log; "
        + "free some space, or set MaxUse= lower")
  }

  /// The limits of the log can't all be reached on its file system.
  static func sizesContradict(maximumUse: Int64, keepFree: Int64, total: Int64, allowed: Int64) -> JournalEntry {
    JournalEntry(
      .sizesContradict,
      "MaxUse= allows \(maximumUse) bytes and KeepFree= keeps \(keepFree) bytes free, but the file system has only \(total) "
        + "bytes: KeepFree= removes records before MaxUse= is reached, and the log may take \(allowed) bytes")
  }

  /// A user has more than a fair share of a log that is too large.
  static func shareExceeded(user: UInt32) -> JournalEntry {
    JournalEntry(
      .shareExceeded,
      "the log has reached its limit, and user \(user) has more than a fair share of it: removing this user's oldest records, so "
        + "that nobody else's are removed for them", [.user(user)])
  }

  /// It is unknown whose records a segment holds, or a user's could not be taken out.
  static func shareFailed(_ error: ReadError) -> JournalEntry {
    JournalEntry(
      .shareExceeded,
      "\(error): the log cannot be shared fairly there, so its oldest records go, whoever they belong to")
  }

  /// A backup delays the removal of segments.
  static let removalDelayed = JournalEntry(
    .removalDelayed, "a backup is in progress: files of the log that are due for removal stay until it ends")

  /// The daemon can't remove segments.
  static func removalFailed(_ error: FileError) -> JournalEntry {
    JournalEntry(.removalFailed, "\(error): files of the log that are due for removal stay for now")
  }

  /// The daemon could not pack a segment.
  static func packingFailed(_ error: PackingError) -> JournalEntry {
    JournalEntry(.packingFailed, "\(error): this part of the log stays uncompressed")
  }

  /// A segment is packed, but the disk may still have the unpacked one.
  static func packingUnsynced(_ error: PackingError) -> JournalEntry {
    JournalEntry(
      .packingFailed, "\(error): this part of the log is compressed, but may be uncompressed again after a power loss")
  }

  /// Packing is postponed because there is no space for it.
  static func packingPostponed(_ error: PackingError) -> JournalEntry {
    JournalEntry(.packingPostponed, "\(error): compression of the log is postponed until there is space")
  }

  /// The daemon forgot sessions.
  static func forgotten(records: Int64) -> JournalEntry { JournalEntry(.forgotten, "forgot \(records) records") }

  /// The key for the names of forgotten clients could not be read or made.
  static func forgottenKeyMissing(_ error: ReadError) -> JournalEntry {
    JournalEntry(
      .forgottenKeyMissing,
      "\(error): clients that you forget can't be listed, and a backup that is restored brings them back")
  }

  /// The daemon could not rewrite a part of the log without the forgotten records.
  static func forgettingFailed(_ error: ReadError) -> JournalEntry {
    JournalEntry(
      .forgettingFailed, "\(error): this part of the log may still contain records that were to be forgotten")
  }
}

// MARK: Clients

extension JournalEntry {
  /// The daemon refused a connection above the limit.
  static func connectionRefused(of user: UInt32) -> JournalEntry {
    JournalEntry(.connectionRefused, "too many connections: refused one of user \(user)", [.user(user)])
  }

  /// The system refused something that a connection needs.
  static func connectionFailed(_ error: any Error) -> JournalEntry { JournalEntry(.connectionFailed, "\(error)") }

  /// A client broke the protocol.
  static func protocolViolated(_ violation: ProtocolViolation, by user: UInt32) -> JournalEntry {
    JournalEntry(.protocolViolated, "user \(user) sent \(shortened("\(violation)")): connection closed", [.user(user)])
  }

  /// The daemon refused a oneway call, whose caller gets no reply.
  static func onewayRefused(_ method: String, _ error: VarlinkError, of user: UInt32) -> JournalEntry {
    JournalEntry(
      .onewayRefused, "user \(user): oneway \(shortened(method)) refused: \(shortened("\(error)"))", [.user(user)])
  }

  /// A user called a method without permission.
  static func permissionDenied(_ method: String, to user: UInt32) -> JournalEntry {
    JournalEntry(.permissionDenied, "user \(user): \(shortened(method)) refused: permission denied", [.user(user)])
  }

  /// A user is throttled for sending too many events.
  static func throttled(_ user: UInt32, limit: Int) -> JournalEntry {
    JournalEntry(
      .throttled, "user \(user) sends more than \(limit) events per second and is throttled", [.user(user)])
  }

  /// A user is throttled because the records of their calls take too much of the log.
  static func throttled(_ user: UInt32, bytesLimit: Int) -> JournalEntry {
    JournalEntry(
      .throttled, "user \(user) writes more than \(bytesLimit) bytes per second to the log and is throttled",
      [.user(user)])
  }

  /// A user is throttled for sending too much in messages that stay incomplete.
  static func incompleteMessagesThrottled(_ user: UInt32, limit: Int) -> JournalEntry {
    JournalEntry(
      .incompleteMessagesThrottled,
      "user \(user) sends more than \(limit) bytes per second in incomplete messages and is throttled",
      [.user(user)])
  }

  /// The daemon closed a connection because it used too much memory.
  static func connectionDropped(of user: UInt32, held: Int, key: String, limit: Int) -> JournalEntry {
    JournalEntry(
      .connectionDropped, "user \(user): closed a connection that used \(held) bytes, because \(key) is \(limit)",
      [.user(user)])
  }

  /// The refusals that were not logged one by one.
  static func refusalsSuppressed(_ text: String, of user: UInt32) -> JournalEntry {
    JournalEntry(.refusalsSuppressed, "user \(user), since the last message: \(text)", [.user(user)])
  }

  /// The number of messages of one kind that were suppressed, with the last one.
  static func entriesSuppressed(_ count: Int64, last: JournalEntry) -> JournalEntry {
    let messages = count == 1 ? "1 message was" : "\(count) messages were"
    return JournalEntry(
      .entriesSuppressed, "\(messages) suppressed, the last one: \(shortened(last.line, to: longestName))")
  }

  /// The opening of a session is on disk.
  static func opened(_ session: Session, at position: Position) -> JournalEntry {
    JournalEntry(
      .sessionOpened, "\(session.client.name) of user \(session.client.user) opened", fields(of: session, position))
  }

  /// The closing of a session is on disk.
  static func closed(_ session: Session, _ reason: Closing.Reason, at position: Position) -> JournalEntry {
    JournalEntry(
      .sessionClosed, "\(session.client.name) of user \(session.client.user) closed (\(reason.name))",
      fields(of: session, position))
  }

  /// The number of sessions whose opening or closing was not logged.
  static func sessionsSuppressed(_ count: Int64) -> JournalEntry {
    JournalEntry(.sessionsSuppressed, "\(count) more sessions were opened or closed")
  }

  private static func fields(of session: Session, _ position: Position) -> [Field] {
    [.client(session.client.name.text), .user(session.client.user), .session(session.shownID), .position(position)]
  }
}

// MARK: Clocks

extension JournalEntry {
  /// Somebody or something set the wall clock.
  static func clockJumped(by microseconds: Int64) -> JournalEntry {
    let direction = microseconds > 0 ? "forward" : "back"
    return JournalEntry(
      .clockJumped,
      "the system's clock went \(direction) by \(seconds(microseconds)): the times of new records approach it gradually"
    )
  }

  /// At the start, the wall clock is not where the log's times end.
  static func clockDiffers(by microseconds: Int64) -> JournalEntry {
    let direction = microseconds > 0 ? "ahead of" : "behind"
    return JournalEntry(
      .clockDiffers,
      "the system's clock is \(seconds(microseconds)) \(direction) the log's times: the times of new records approach it "
        + "gradually")
  }

  /// The file that keeps the log's time over a restart could not be written.
  static func clockNotSaved(_ error: SystemError) -> JournalEntry {
    JournalEntry(.clockNotSaved, "\(error): if the daemon restarts now, the times of new records may jump")
  }

  private static func seconds(_ microseconds: Int64) -> String { "\(microseconds.magnitude / 1_000_000) s" }
}

// MARK: Connections that outlive the daemon

extension JournalEntry {
  /// The daemon keeps connections for the next one.
  static func handedOver(_ count: Int, ended: Int) -> JournalEntry {
    let kept = "keeping \(connections(count)) for the next daemon"
    return JournalEntry(.handedOver, ended == 0 ? kept : "\(kept), closing \(ended)")
  }

  /// The daemon took over connections of the previous one, or some of them.
  static func takenOver(_ count: Int, lost: Int) -> JournalEntry {
    let taken = "took over \(connections(count)) from the previous daemon"
    if lost == 0 { return JournalEntry(.takenOver, taken) }
    return JournalEntry(.connectionsLost, "\(taken), and closed \(lost) that cannot continue")
  }

  private static func connections(_ count: Int) -> String { count == 1 ? "1 connection" : "\(count) connections" }

  /// The state that the previous daemon left can't be used.
  static func savedConnectionsUnreadable(_ error: any Error) -> JournalEntry {
    JournalEntry(
      .savedConnectionsUnreadable, "cannot read the state of the previous daemon's connections, so they end: \(error)")
  }

  /// The daemon can't keep connections for the next one.
  static func handOverFailed(_ error: any Error) -> JournalEntry {
    JournalEntry(.handOverFailed, "\(error): connections end when this daemon stops")
  }
}
