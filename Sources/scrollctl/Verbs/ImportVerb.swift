import Platform
import ScrollClient
import ScrollModel

extension Verb {
  private static let again = Option(
    name: "again", summary: "Import as new sessions with new ids, even if they are in the log already")

  private static let prefix = Option(
    name: "prefix", value: "TEXT", summary: "Put this before each client's name, such as HOST/")

  private static let noSameOwner = Option(
    name: "no-same-owner", summary: "Make all sessions yours, although you are root and the recordings name other users"
  )

  static let `import` = Verb(
    name: "import", group: .recordings,
    arguments: [Argument(name: "FILE…|-", repeats: true)], options: [prefix, again, noSameOwner],
    summary: "Import recordings into the daemon's log as they were recorded",
    details: [
      "“record” plays a recording as a client would. “import” keeps its times, the reason for its closing and the policy in "
        + "its open line, so that it folds to the same result as where it was exported. Without a policy in the open line, "
        + "it gets the policy that the client has here. You must be a manager of the daemon.",
      "The sessions become yours. If you are root, a session whose open line names a user, as “export” writes for other users' "
        + "sessions, becomes that user's.",
      "A session keeps its id; a session without an id gets one from its content. So you can repeat an import, for example "
        + "after an interruption: events that are already stored and sessions that are complete are skipped.",
      "With --prefix, clients of several machines stay apart although they have the same names. The sessions' ids stay the "
        + "same: importing them again with another prefix skips them.",
      "Each file is checked completely before anything of it is stored. A file with an error is named and nothing of it is "
        + "imported; scrollctl imports the other files, and the exit status is 1. After several files, the last line has "
        + "the sum, except with --json. Requests and responses are skipped, because they refer to positions of the log "
        + "that they come from.",
      "A session without a close line, as “export” writes for an open session, is closed at its last event. You cannot add "
        + "later events of its source to it.",
      "A session that cannot be imported is left out with a message, the others are imported, and the exit status is 1. "
        + "This happens if the session is closed here with another number of events, if it was forgotten or removed here, "
        + "or if its client has another session open.",
    ],
    examples: [
      Example(
        arguments: "import recordings/article.ndjson", meaning: "Import what “export” or another recorder wrote."),
      Example(
        arguments: "import --prefix desk2/ all.ndjson",
        meaning: "Import another machine's sessions, whose clients get names such as desk2/reader/main."),
      Example(
        arguments: "import recordings/*.ndjson", meaning: "Import what is new in a directory, with a sum at the end."),
      Example(arguments: "import - < all.ndjson", meaning: "Import one or more sessions from standard input."),
    ]
  ) { invocation in
    let daemon = try invocation.connect()
    let givesNewIDs = invocation.command.has(again)
    let prefix = invocation.command.text(prefix) ?? ""
    // Like tar(1): only root may keep owners, and does so unless told otherwise.
    let keepsUsers = CurrentProcess.effectiveUser == 0 && !invocation.command.has(noSameOwner)
    var status = ExitStatus.done
    let files = invocation.command.arguments
    var totals = ImportTotals()
    var known: KnownSessions?
    var hasAsked = false
    let total = ProgressBar("import", of: Int64(files.count), "files")
    for (index, file) in files.enumerated() {
      total.update(Int64(index))
      let spooled: SpooledInput?
      let plan: ImportPlan
      let check = ReadProgress("check", files: [file])
      do {
        spooled = file == "-" ? try SpooledInput() : nil
        plan = try ImportPlan(
          spooled?.path ?? file, name: spooled == nil ? file : "standard input", prefix: prefix,
          givesNewIDs: givesNewIDs, keepsUsers: keepsUsers, progress: check.count(bytes:))
        check.clear()
      } catch  where files.count > 1 {
        // One bad file must not keep the others out.
        check.clear()
        total.clear()
        try invocation.output.flush()
        Program.report(error)
        totals.addFile(isRefused: true)
        status = .failed
        continue
      }
      totals.addFile(isRefused: false)
      // Not before a file has proved to be a recording.
      if !hasAsked { known = try KnownSessions(of: ServiceConnection(daemon.address)) }
      hasAsked = true
      let progress = ProgressBar("import", of: plan.events, "events")
      try plan.send(to: daemon, knowing: known, progress: progress.updateNowAndThen) { outcome in
        progress.clearForOutput()
        total.clearForOutput()
        totals.add(outcome)
        try report(outcome, invocation)
        try invocation.output.flush()
        if case .leftOut(let failure) = outcome {
          progress.clear()
          total.clear()
          Program.warn(failure.message, hint: failure.hint)
          status = .failed
        }
      }
      withExtendedLifetime(spooled) {}
    }
    total.clear()
    if files.count > 1, !invocation.wantsJSON { try invocation.output.line(totals.text) }
    return status
  }

  private static func report(_ outcome: ImportPlan.Outcome, _ invocation: Invocation) throws {
    switch outcome {
    case .stored(let sent):
      if invocation.wantsJSON {
        try invocation.output.json(sent)
      } else {
        let events = sent.events == 1 ? "1 event" : "\(sent.events) events"
        try invocation.output.line("\(visible(sent.client)): imported \(events) as session \(sent.session)")
      }
    case .known(let client, let id):
      if invocation.wantsJSON {
        try invocation.output.object {
          $0.member("client", client)
          $0.member("session", id)
          $0.member("known", true)
        }
      } else {
        try invocation.output.line("\(visible(client)): session \(id) is already in the log")
      }
    case .leftOut: break
    }
  }
}
