import Platform
import ScrollClient
import ScrollJSON
import ScrollModel

/// The settings for sending recordings: the client, the session and the speed.
struct RecordingPlan {
  /// The client's name, instead of the recording's.
  var client: String?
  /// The session to continue.
  var session: SessionID?
  /// The speed as a multiple of the recorded one; without pauses when `nil`.
  var speed: Double?

  /// Reads a file to its end without sending anything.
  ///
  /// - Throws: ``Failure`` that names the first bad line.
  func check(_ file: String) throws {
    let source = try RecordingSource(file)
    var isOpen = false
    var sessions = SessionCount()
    while let line = try source.next() {
      if case .open = line { isOpen = true }
      if case .event = line, !isOpen { try requireClient(source) }
      sessions.add(line)
    }
    if sessions.count == 0 { throw Self.isNoRecording(source) }
    if let session, sessions.count > 1 {
      throw Failure(
        "\(source.name) has \(sessions.count) sessions, but --session \(session) names one",
        hint: "Without --session, each becomes a session of its own.")
    }
  }

  /// Counts the sessions of a recording as ``send(_:to:_:)`` begins them.
  private struct SessionCount {
    private(set) var count = 0
    private var isOpen = false

    mutating func add(_ line: RecordingLine) {
      switch line {
      case .open:
        count += 1
        isOpen = true
      case .event:
        if !isOpen { count += 1 }
        isOpen = true
      case .close: isOpen = false
      // A recording of requests alone has nothing to send, but is one.
      case .request, .response: count = max(count, 1)
      }
    }
  }

  private static func isNoRecording(_ source: RecordingSource) -> Failure { Failure("\(source.name) has no recording") }

  /// Sends a file's sessions one after the other.
  ///
  /// - Parameter report: Called with each session that was sent and closed.
  /// - Throws: ``Failure`` with the error, the number of stored events, and how to continue. Ctrl-C during a wait for input or
  ///   for an event's time closes the session.
  func send(_ file: String, to daemon: ServiceConnection, _ report: (SentSession) throws -> Void) throws {
    let source = try RecordingSource(file, isInterruptible: true)
    // Reading a file again starts from its first event, reading a pipe does not.
    let isRepeated = Self.isRegular(file)
    var sender: SessionSender?
    var sessions = SessionCount()
    do {
      while let line = try source.next() {
        sessions.add(line)
        if let session, sessions.count > 1 {
          throw source.failure(
            RecordingError(
              line: source.line, reason: "another session begins here, but --session \(session) names one"))
        }
        switch line {
        case .open(let time, let name, let application, let title, _, _, _):
          if let sent = try sender?.finish() { try report(sent) }
          sender = try SessionSender(
            client: client ?? name, application: application, title: title, time: time, session: session,
            isRepeated: isRepeated, to: daemon)
        case .event(let event):
          if sender == nil {
            sender = try SessionSender(
              client: requireClient(source), session: session, isRepeated: isRepeated, to: daemon)
          }
          try pace(event, sender)
          try sender?.add(event, line: source.line)
        case .close(let time, _):
          if let sent = try sender?.finish(at: time) { try report(sent) }
          sender = nil
        case .request, .response: break
        }
        // Send what has arrived before waiting for more.
        if !source.isReady { try sender?.flush() }
      }
      if let sent = try sender?.finish() { try report(sent) }
      if sessions.count == 0 { throw Self.isNoRecording(source) }
    } catch let error as ServiceError {
      throw failure(error, file, sender)
    } catch let failure as Failure {
      throw try giveUp(failure, sender)
    } catch let interrupted as Interruption.Interrupted {
      if let sent = try sender?.finish() { try report(sent) }
      throw interrupted
    }
  }

  /// Returns the client of events without an open line.
  @discardableResult
  private func requireClient(_ source: RecordingSource) throws -> String {
    if let client { return client }
    throw source.failure(
      RecordingError(line: source.line, reason: "no open line before this event: use --client NAME"))
  }

  /// Waits until an event is due.
  private func pace(_ event: Event, _ sender: SessionSender?) throws {
    guard let speed, let sender else { return }
    let due = sender.due(event, speed: speed)
    if due > .now {
      try sender.flush()
      try InterruptibleWait.until(due)
    }
  }

  /// Closes the session of a bad recording.
  private func giveUp(_ failure: Failure, _ sender: SessionSender?) throws -> Failure {
    guard let sender else { return failure }
    do {
      let sent = try sender.abandon()
      return Failure(
        failure.message,
        hint: sent.events == 1
          ? "1 event before it is stored as session \(sent.session), which is closed."
          : "\(sent.events) events before it are stored as session \(sent.session), which is closed.")
    } catch {
      return Failure(failure.message, hint: "Cannot close the session \(sender.session): \(error)")
    }
  }

  private func failure(_ error: ServiceError, _ file: String, _ sender: SessionSender?) -> Failure {
    guard let sender else { return Failure("\(file): \(error)", hint: Hints.hint(for: error)) }
    var message = "\(file): \(error)"
    if case .invalidEvent(let index, let field, let reason)? = error.refusal, let line = sender.line(ofEvent: index) {
      message = "\(file):\(line): \(field) \(reason)"
    }
    let continuation =
      !Self.isRegular(file)
      ? "To append further input to them, use --session \(sender.session)."
      : "To continue, repeat the command with --session \(sender.session)."
    return Failure(
      message,
      hint: "At least \(sender.storedEvents) events are stored as session \(sender.session).\n" + continuation)
  }

  /// Returns whether a path is a file that can be read twice.
  static func isRegular(_ path: String) -> Bool {
    path != "-" && (try? FileStatus(path))?.kind == .regular
  }
}
