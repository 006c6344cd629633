import Platform
import ScrollClient
import ScrollModel

/// The export of sessions in one pass over the log, in the order in which they began.
///
/// A session's lines are held until it has ended, because only then it is certain that nothing of it is missing, and until
/// all sessions before it are written.
final class SessionExport {
  /// A session that is not written yet.
  private final class Held {
    var session: ExportedSession
    /// The members that a flat line has after those of its record, with the rest of the line.
    let flatMembers: [UInt8]

    init(_ session: ExportedSession) {
      self.session = session
      flatMembers = session.flatMembers
    }
  }

  /// A session, as its events name it.
  private struct LastSession {
    let user: UInt32
    /// The digits of its id.
    let digits: [UInt8]
    let key: ExportedSession.Key
    /// `nil` for one that is not exported.
    let held: Held?

    func isOf(_ event: PlainEvent) -> Bool {
      user == event.user && event.session.count == digits.count
        && digits.withUnsafeBytes { digits in
          guard let one = digits.baseAddress, let other = event.session.baseAddress else { return false }
          return Memory.isEqual(one, other, count: digits.count)
        }
    }
  }

  private let selection: SessionIndex
  private let isFlat: Bool
  private let keepsDamaged: Bool
  private let spool: LineSpool<ExportedSession.Key>
  /// The sessions that are not written yet, and their keys in the order in which they began.
  private var held: [ExportedSession.Key: Held] = [:]
  private var order: [ExportedSession.Key] = []
  private var written = 0
  /// Whether the log has a record of a session that is wanted.
  private var hasFound = false
  /// The arguments that have selected nothing yet.
  let unmatched: UnmatchedArguments
  /// The session of the last event: the next one is often of the same.
  private var last: LastSession?
  private let write: (ExportedSession, LineSpool<ExportedSession.Key>) throws -> Void

  /// Creates an export.
  ///
  /// - Parameters:
  ///   - isFlat: Whether each line has the client and the session.
  ///   - keepsDamaged: Whether the lines of sessions that lost events are kept.
  ///   - write: Takes a session when it is its turn; the spool has its lines.
  init(
    _ selection: SessionIndex, isFlat: Bool, keepsDamaged: Bool,
    spool: LineSpool<ExportedSession.Key> = LineSpool(),
    _ write: @escaping (ExportedSession, LineSpool<ExportedSession.Key>) throws -> Void
  ) {
    self.selection = selection
    unmatched = UnmatchedArguments(
      selection.ids.map(\.description) + selection.globs.patterns,
      isLimited: selection.since > .min || selection.until < .max)
    self.isFlat = isFlat
    self.keepsDamaged = keepsDamaged
    self.spool = spool
    self.write = write
  }

  /// Reads the log, and passes over what cannot be read.
  ///
  /// - Parameters:
  ///   - reportGap: Called for each damaged part of the log.
  ///   - progress: Called with the position after each record.
  /// - Returns: Whether a session was found.
  func run(
    of daemon: ServiceConnection, reportGap: (LogGap) throws -> Void, progress: (Position) -> Void
  ) throws -> Bool {
    let isOneSession = selection.globs.patterns.isEmpty && selection.ids.count == 1
    try pass(of: daemon, only: isOneSession ? selection.ids.first : nil, reportGap, progress)
    // A client's name may look like a session's id.
    if isOneSession, !hasFound { try pass(of: daemon, only: nil, reportGap, progress) }
    return written > 0
  }

  private func pass(
    of daemon: ServiceConnection, only session: SessionID?, _ reportGap: (LogGap) throws -> Void,
    _ progress: (Position) -> Void
  ) throws {
    var query = LogQuery()
    query.user = selection.user
    query.session = session
    var isBehindGap = false
    while let gap = try read(query, of: daemon, isBehindGap, progress) {
      try reportGap(gap)
      isBehindGap = true
      for one in held.values { one.session.passGap() }
      guard let next = gap.next else { break }
      query.after = next - 1
    }
    for one in held.values { one.session.finish() }
    try drain(isAtEnd: true)
  }

  /// Reads records up to the end of the log or the next damaged part.
  ///
  /// - Returns: The damaged part; `nil` at the end.
  private func read(
    _ query: LogQuery, of daemon: ServiceConnection, _ isBehindGap: Bool,
    _ progress: (Position) -> Void
  ) throws -> LogGap? {
    let start = query.after ?? 0
    var last = start
    do {
      try daemon.readLines(query) { line in
        switch line {
        case .event(let event):
          last = event.position
          progress(last)
          try take(event, isBehindGap)
        case .entry(let entry):
          last = entry.position
          progress(last)
          if selection.isWanted(entry) { try take(entry, isBehindGap) }
        }
      }
      return nil
    } catch let error as ServiceError {
      return try LogGap(error, after: last, from: start)
    }
  }

  private func take(_ event: PlainEvent, _ isBehindGap: Bool) throws {
    let current: LastSession
    if let last, last.isOf(event) {
      current = last
    } else {
      current = try find(event, isBehindGap)
      last = current
    }
    guard let held = current.held else { return }
    held.session.add(event)
    if canBeWritten(received: held.session.received.lowerBound, held.session.loss) {
      let end = isFlat ? held.flatMembers : Self.newline
      try spool.append(to: current.key) { lines in
        lines.append(contentsOf: isFlat ? UnsafeRawBufferPointer(rebasing: event.record.dropLast()) : event.record)
        lines.append(contentsOf: end)
      }
    } else {
      spool.discard(current.key)
    }
  }

  /// Returns the session of an event, which may be the first record of it that the log has.
  private func find(_ event: PlainEvent, _ isBehindGap: Bool) throws -> LastSession {
    guard let key = ExportedSession.Key(event) else { throw Failure("the daemon sent a session without an id") }
    let isWanted = selection.isWanted(key.id, of: String(decoding: event.client, as: UTF8.self))
    return LastSession(
      user: event.user, digits: Array(event.session), key: key,
      held: isWanted ? hold(key) { ExportedSession(event, key, isBehindGap: isBehindGap) } : nil)
  }

  private func hold(_ key: ExportedSession.Key, _ make: () -> ExportedSession) -> Held {
    if let known = held[key] { return known }
    hasFound = true
    let new = Held(make())
    held[key] = new
    order.append(key)
    return new
  }

  private func take(_ entry: LogEntry, _ isBehindGap: Bool) throws {
    let id = ExportedSession.Key(entry)
    let held = hold(id) { ExportedSession(entry, isBehindGap: isBehindGap) }
    held.session.add(entry)
    if canBeWritten(received: held.session.received.lowerBound, held.session.loss) {
      try spool.append(held.session.line(entry, isFlat: isFlat), to: id)
    } else {
      spool.discard(id)
    }
    if held.session.isClosed { try drain(isAtEnd: false) }
  }

  /// Whether the lines of a session are kept, by when its first record was received, and what it has lost.
  private func canBeWritten(received first: Int64, _ loss: ExportedSession.Loss?) -> Bool {
    if first > selection.until { return false }
    return loss == nil || loss == .events && keepsDamaged
  }

  private static let newline: [UInt8] = [0x0A]

  /// Writes the sessions that have ended and have no earlier one before them.
  private func drain(isAtEnd: Bool) throws {
    var count = 0
    defer { order.removeFirst(count) }
    for id in order {
      guard let session = held[id]?.session, isAtEnd || session.isClosed else { break }
      count += 1
      held[id] = nil
      if last?.key == id { last = nil }
      guard session.received.overlaps(min(selection.since, selection.until)...selection.until) else {
        spool.discard(id)
        continue
      }
      written += 1
      unmatched.match(session.id, of: session.client)
      try write(session, spool)
      spool.discard(id)
    }
  }
}
