// What the journal says of each thing that happens.

import ScrollLog
import ScrollModel
import Varlink

// MARK: From start to end

extension JournalEntry {
  /// The daemon serves.
  static func serving(on place: String, log directory: String, from position: Position) -> JournalEntry {
    JournalEntry(
      .serving, "serving on \(place), the log is in \(directory)", [.position(position)])
  }

  /// It stopped in order.
  static func stopped(at position: Position) -> JournalEntry {
    JournalEntry(.stopped, "stopped in order at position \(position)", [.position(position)])
  }

  /// It was asked to stop before it served.
  static let startGivenUp = JournalEntry(
    .startGivenUp, "asked to stop before the log was open: nothing was served, and the next start begins anew")

  /// It ends since the disk failed it.
  static func failed(_ reason: String) -> JournalEntry {
    JournalEntry(.failed, "\(reason): ending, so that the next start recovers what the disk really has")
  }

  /// It can't serve.
  static func startFailed(_ error: any Error) -> JournalEntry { JournalEntry(.startFailed, "\(error)") }
}

// MARK: Configuration

extension JournalEntry {
  /// A start ends at a bad configuration.
  static func configurationBad(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(.configurationBad, "the configuration is bad: \(error)", fields(of: error))
  }

  /// A reload comes to nothing.
  static func configurationKept(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(.configurationKept, "the configuration is bad, the old one stays: \(error)", fields(of: error))
  }

  private static func fields(of error: ConfigurationError) -> [Field] {
    [.configurationFile(error.file)] + (error.line.map { [.configurationLine($0)] } ?? [])
  }

  /// A reload is done.
  static let configurationReloaded = JournalEntry(.configurationReloaded, "the configuration is read again")

  /// A reload changed what only a start takes up.
  static let needsRestart = JournalEntry(.needsRestart, "Sync= and SyncIntervalSec= change with the next start")

  /// A user or group is named that there is not.
  static func nameUnknown(_ error: ConfigurationError) -> JournalEntry {
    JournalEntry(.nameUnknown, "\(error)", fields(of: error))
  }
}

// MARK: The log

extension JournalEntry {
  /// What opening the log found or did.
  static func opening(_ note: RecoveryNote) -> JournalEntry {
    switch note {
    case .begun: JournalEntry(.logBegun, "\(note)")
    case .removedUnfinished(let file): JournalEntry(.logRecovered, "\(note)", [.logFile(file)])
    case .recovered(let file, let through), .recoveredInPlace(let file, let through):
      JournalEntry(.logRecovered, "\(note)", [.logFile(file), .position(through)])
    case .cutTornTail(let damage, _, let after, _):
      JournalEntry(.logCut, "\(note)", [.logFile(damage.file), .position(after)])
    case .newGeneration(_, let after, _): JournalEntry(.generationBegun, "\(note)", [.position(after)])
    case .otherFold, .refolded, .otherFoldGoesOn: JournalEntry(.foldChanged, "\(note)")
    case .sealedDamage(let damage), .badIndex(let damage):
      JournalEntry(.segmentDamaged, "\(note)", [.logFile(damage.file)])
    }
  }

  /// What it took to open the log.
  static func logRead(_ report: StartReport) -> JournalEntry { JournalEntry(.logRead, "\(report)") }

  /// Somebody asked for a past that another version of the fold told.
  static func refolding(version: UInt32, before position: Position) -> JournalEntry {
    JournalEntry(
      .foldChanged,
      "records at or before position \(position) were folded by version \(version) of the fold when they came, and are folded "
        + "again by this one where somebody asks: what is told of them may differ from what was said then",
      [.position(position)])
  }

  /// A snapshot of the log could not be written.
  static func snapshotFailed(_ error: FileError) -> JournalEntry {
    JournalEntry(
      .snapshotFailed, "\(error): the log has no new snapshot, so that the next start may have to read more of it")
  }

  /// A start ends at a damaged log, or what the start had left to read turns out to be damaged.
  static func logDamaged(_ damage: LogDamage) -> JournalEntry {
    JournalEntry(
      .logDamaged,
      "the log is damaged where it was synced, so it is not served: \(damage). "
        + "“scrollctl repair” sets the damaged part aside and keeps it",
      [.logFile(damage.file)])
  }

  /// Somebody asked for records that can't be read.
  static func readFailed(_ error: ReadError) -> JournalEntry {
    JournalEntry(.readFailed, "reading the log: \(error)")
  }

  /// Appends are refused from now on.
  static func diskFull(_ error: FileError) -> JournalEntry {
    JournalEntry(.diskFull, "\(error): appends are refused until there is space, all else goes on")
  }

  /// A start ends at a full disk.
  static func diskFullAtStart(_ error: OpenError) -> JournalEntry {
    JournalEntry(
      .diskFullAtStart,
      "\(error). After a stop that was not in order the log's last segment is written anew, or over itself on a full disk, and "
        + "there is no room for either: make room and start again; nothing is lost")
  }

  /// Appends are taken again.
  static func spaceAgain(from position: Position) -> JournalEntry {
    JournalEntry(.spaceAgain, "there is space again: appending goes on at position \(position)", [.position(position)])
  }

  /// The next segment of the log can't be begun.
  static func noRoomForSegment(_ error: FileError) -> JournalEntry {
    JournalEntry(
      .noRoomForSegment,
      "\(error): there is no room for a new segment of the log, the old one goes on until there is")
  }

  /// The system doesn't say how much room there is.
  static func spaceUnknown(_ error: FileError) -> JournalEntry {
    JournalEntry(.spaceUnknown, "\(error): the log is not limited by what is free")
  }

  /// The oldest segments go.
  static func removing(
    from first: Position, to last: Position, bytes: Int64, segments: Int, why: String
  ) -> JournalEntry {
    JournalEntry(
      .removing, "removing positions \(first) to \(last) of the log, \(bytes) bytes in \(segments) segments, \(why)",
      [.position(last)])
  }

  /// Segments that should go stay while they are copied.
  static let removalDelayed = JournalEntry(
    .removalDelayed, "a backup is being made: files of the log that should go stay until it is done")

  /// Segments that should go can't be removed.
  static func removalFailed(_ error: FileError) -> JournalEntry {
    JournalEntry(.removalFailed, "\(error): files of the log that should go stay for now")
  }

  /// A segment could not be packed.
  static func notPacked(_ error: PackingError) -> JournalEntry {
    JournalEntry(.notPacked, "\(error): this part of the log stays uncompressed")
  }

  /// A segment is packed, but what stands on the disk may still be the one before.
  static func packedUnsynced(_ error: PackingError) -> JournalEntry {
    JournalEntry(.notPacked, "\(error): this part of the log is compressed, but may be uncompressed after a power loss")
  }

  /// There is no room to pack segments.
  static func packingPut(_ error: PackingError) -> JournalEntry {
    JournalEntry(.packingPut, "\(error): the log is compressed when there is room again")
  }

  /// Sessions are forgotten.
  static func forgotten(records: Int64) -> JournalEntry { JournalEntry(.forgotten, "forgot \(records) records") }

  /// A part of the log could not be rewritten.
  static func notForgotten(_ error: ReadError) -> JournalEntry {
    JournalEntry(.notForgotten, "\(error): what was to be forgotten may still stand there")
  }
}

// MARK: Clients

extension JournalEntry {
  /// There are too many connections.
  static func connectionRefused(of user: UInt32) -> JournalEntry {
    JournalEntry(.connectionRefused, "too many connections: one of user \(user) refused", [.user(user)])
  }

  /// The system doesn't let a connection be.
  static func connectionFailed(_ error: any Error) -> JournalEntry { JournalEntry(.connectionFailed, "\(error)") }

  /// A peer broke the protocol.
  static func protocolViolated(_ violation: ProtocolViolation, by user: UInt32) -> JournalEntry {
    JournalEntry(.protocolViolated, "user \(user) sent \(violation): connection closed", [.user(user)])
  }

  /// A oneway call was refused, of which its caller hears nothing.
  static func onewayRefused(_ method: String, _ error: VarlinkError, of user: UInt32) -> JournalEntry {
    JournalEntry(.onewayRefused, "user \(user): oneway \(method) refused: \(error)", [.user(user)])
  }

  /// Somebody tried what they may not do.
  static func permissionDenied(_ method: String, to user: UInt32) -> JournalEntry {
    JournalEntry(.permissionDenied, "user \(user): \(method) refused: permission denied", [.user(user)])
  }

  /// A user sends too many events and has to wait.
  static func heldBack(_ user: UInt32, limit: Int) -> JournalEntry {
    JournalEntry(
      .heldBack, "user \(user) sends more than \(limit) events a second and is held back", [.user(user)])
  }

  /// A user sends so much of messages that don't end that more of them has to wait.
  static func slowed(_ user: UInt32, limit: Int) -> JournalEntry {
    JournalEntry(
      .slowed, "user \(user) sends more than \(limit) bytes a second of messages that don't end, and is held back",
      [.user(user)])
  }

  /// A connection is closed since too much memory is taken.
  static func connectionDropped(of user: UInt32, held: Int, key: String, limit: Int) -> JournalEntry {
    JournalEntry(
      .connectionDropped, "user \(user): a connection that held \(held) bytes is closed, as \(key) is \(limit)",
      [.user(user)])
  }

  /// Refusals that were not told one by one.
  static func refusalsSuppressed(_ text: String, of user: UInt32) -> JournalEntry {
    JournalEntry(.refusalsSuppressed, "user \(user), further: \(text)", [.user(user)])
  }

  /// A session is on disk.
  static func opened(_ session: Session, at position: Position) -> JournalEntry {
    JournalEntry(
      .sessionOpened, "\(session.client.name) of user \(session.client.user) opened", fields(of: session, position))
  }

  /// A session's end is on disk.
  static func closed(_ session: Session, _ reason: Closing.Reason, at position: Position) -> JournalEntry {
    JournalEntry(
      .sessionClosed, "\(session.client.name) of user \(session.client.user) closed (\(reason.name))",
      fields(of: session, position))
  }

  /// Sessions that were not told one by one.
  static func sessionsSuppressed(_ count: Int64) -> JournalEntry {
    JournalEntry(.sessionsSuppressed, "\(count) more sessions were opened or closed")
  }

  private static func fields(of session: Session, _ position: Position) -> [Field] {
    [.client(session.client.name), .user(session.client.user), .session(session.id), .position(position)]
  }
}

// MARK: Connections that outlive the daemon

extension JournalEntry {
  /// Connections wait for the next daemon.
  static func handedOver(_ count: Int, ended: Int) -> JournalEntry {
    let waiting = "\(connections(count)) to go on with the next daemon"
    return JournalEntry(.handedOver, ended == 0 ? waiting : "\(waiting); \(ended) \(ended == 1 ? "ends" : "end")")
  }

  /// Connections of the last daemon go on, or some of them.
  static func takenOver(_ count: Int, lost: Int) -> JournalEntry {
    let taken = "\(connections(count)) \(count == 1 ? "goes" : "go") on"
    if lost == 0 { return JournalEntry(.takenOver, taken) }
    return JournalEntry(.connectionsLost, "\(taken); \(lost) can't, and \(lost == 1 ? "ends" : "end")")
  }

  private static func connections(_ count: Int) -> String { count == 1 ? "1 connection" : "\(count) connections" }

  /// What the last daemon left can't be used.
  static func leftUnreadable(_ error: any Error) -> JournalEntry {
    JournalEntry(.leftUnreadable, "what the last daemon left of its connections can't be read, so they end: \(error)")
  }

  /// Connections can't be kept.
  static func handOverFailed(_ error: any Error) -> JournalEntry {
    JournalEntry(.handOverFailed, "\(error): connections end with the daemon")
  }
}
