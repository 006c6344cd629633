import JSON
import ScrollAnalysis
import ScrollJSON
import ScrollModel

extension Verb {
  private static let expect = Option(
    name: "expect", value: "FILE", summary: "Print only the first difference from these transitions")

  static let fold = Verb(
    name: "fold", group: .recordings,
    arguments: [Argument(name: "FILE|GLOB|CLIENT|SESSION", repeats: true)],
    options: [.policy, .set, .config, expect] + SessionSources.options,
    summary: "Print the transitions of recordings under a policy, one per line",
    details: [
      "A transition is a change of the toolbar, its trigger, the bottom flags, the button to the top or the pager. Each "
        + "line has the event's line in the file, its time since the first event, what changed, and the clause of the rule "
        + "that decided, with its numbers. With --json, each line is the transition's object, which names its file if there are "
        + "several.",
      subjects,
      "The policy is the default policy for a FILE, whatever policy was in force when it was recorded, and a logged "
        + "session's own, unless --policy names another. For a logged session, each line has the event as --at takes it, "
        + "such as #12, and with --json its number and its position.",
      "FILE of --expect has a transition in JSON on each line, as “fold --json” prints them. scrollctl compares the members "
        + "that a line has, and prints nothing if all of them are as expected. Otherwise it prints the first difference, and "
        + "the exit status is 1. It is also 1 if a file could not be read: then standard error says so.",
    ],
    examples: [
      Example(arguments: "fold article.ndjson", meaning: "Fold a recording with the default policy."),
      Example(
        arguments: "fold --policy safari --set hideDistance=40 article.ndjson",
        meaning: "See what happens if the toolbar hides after 40 points."),
      Example(
        arguments: "fold --policy readers --config /etc/scrolld/scrolld.conf reader/main",
        meaning: "Fold the reader's session with another policy of the daemon's configuration."),
      Example(
        arguments: "fold --expect article.expected article.ndjson",
        meaning: "Run a regression test against what “fold --json” printed earlier."),
    ]
  ) { invocation in
    let choice = try PolicyChoice(invocation.command)
    var invocation = invocation
    invocation.command.arguments = distinct(invocation.command.arguments)
    let subjects = invocation.command.arguments
    if let file = invocation.command.text(expect) { return try compare(with: file, choice, invocation) }
    var status = ExitStatus.done
    let loader = try SessionLoader(invocation, reading: subjects)
    for (index, subject) in subjects.enumerated() {
      if subjects.count > 1, !invocation.wantsJSON {
        if index > 0 { try invocation.output.line("") }
        try invocation.output.line(invocation.style.bold("\(visible(subject)):"))
      }
      do {
        try fold(subject: subject, choice, loader, invocation)
      } catch let error where subjects.count > 1 && !(error is UsageError) && !(error is OutputError) {
        // One bad argument must not hide what the others show.
        loader.progress.clear()
        try invocation.output.flush()
        Program.report(error)
        status = .failed
      }
    }
    loader.progress.clear()
    loader.warnOfOthers()
    return loader.leftOut.isLoss ? .failed : status
  }

  /// Returns the arguments without those that were given before. Files count by what they are, and others by what is written.
  private static func distinct(_ arguments: [String]) -> [String] {
    var files = DistinctFiles()
    var names: Set<String> = []
    return arguments.filter { argument in
      if case .file(let path) = Subject(argument) { return files.insert(path) }
      if names.insert(argument).inserted { return true }
      Program.warn("“\(argument)” is given twice, and counts once")
      return false
    }
  }

  private static func fold(
    subject: String, _ choice: PolicyChoice, _ loader: SessionLoader, _ invocation: Invocation
  ) throws {
    if case .file(let path) = Subject(subject) {
      try fold(path, choice.policy(invocation.command) { .safari }, loader.progress, invocation)
    } else {
      for (index, session) in try loader.load(subject).distinctlyNamed.enumerated() {
        if !invocation.wantsJSON, subject.isClientPattern {
          if index > 0 { try invocation.output.line("") }
          try invocation.output.line(invocation.style.bold("\(visible(session.name)):"))
        }
        try fold(session, choice.policy(invocation.command, own: session.standardPolicy), invocation)
      }
    }
  }

  /// The description of FILE, CLIENT, SESSION and GLOB, for the help of the verbs that take them.
  static let subjects =
    "FILE is a recording with one JSON object per line, or “-” for standard input. CLIENT is the client's newest session "
    + "in the daemon's log, open or closed; SESSION is the session with this id, or with this name, such as "
    + "reader/main@0123abcd, where the client has several. GLOB is a pattern over client names with *, ? "
    + "or […], and selects all sessions of clients that match. An existing file counts as a FILE. --since and --until select "
    + "among the sessions of the log, by when the daemon received their records."

  /// Compares the transitions of all subjects with those in a file.
  private static func compare(
    with file: String, _ choice: PolicyChoice, _ invocation: Invocation
  ) throws -> ExitStatus {
    let expected = try ExpectedTransitions(file)
    let loader = try SessionLoader(invocation, reading: invocation.command.arguments)
    for subject in invocation.command.arguments {
      if case .file(let path) = Subject(subject) {
        let source = try RecordingSource(path, progress: loader.progress.count(bytes:))
        var fold = try RecordingFold(choice.policy(invocation.command) { .safari })
        while let line = try source.next() {
          guard let step = fold.take(line) else { continue }
          let folded = FoldedTransition(
            state: fold.state, identity: fold.identity, step: step, place: place(in: path, source, invocation))
          if let difference = try expected.take(folded, at: "\(source.name):\(source.line)") {
            return try report(difference, invocation)
          }
        }
      } else {
        for session in try loader.load(subject) {
          var fold = try RecordingFold(choice.policy(invocation.command, own: session.standardPolicy))
          for (index, event) in session.events.enumerated() {
            guard let step = fold.take(event) else { continue }
            let folded = FoldedTransition(
              state: fold.state, identity: identity(session, index, fold.policy), step: step,
              place: FoldPlace(number: session.numbers[index]))
            if let difference = try expected.take(folded, at: session.label(index)) {
              return try report(difference, invocation)
            }
          }
        }
      }
    }
    guard let difference = try expected.end() else { return loader.leftOut.isLoss ? .failed : .done }
    return try report(difference, invocation)
  }

  private static func report(_ difference: ExpectedTransitions.Difference, _ invocation: Invocation) throws
    -> ExitStatus
  {
    if invocation.wantsJSON {
      try invocation.output.json(difference)
    } else {
      try invocation.output.lines(difference.lines.map(visible))
    }
    return .failed
  }

  /// Returns the place of the line that was read last. Several files' lines are told apart by their names.
  private static func place(in file: String, _ source: RecordingSource, _ invocation: Invocation) -> FoldPlace {
    FoldPlace(file: invocation.command.arguments.count > 1 ? file : nil, line: source.line)
  }

  private static func identity(_ session: LoadedSession, _ index: Int, _ policy: Policy) -> StateIdentity {
    StateIdentity(
      client: session.log?.client, user: session.log?.user, session: session.log?.session,
      position: session.log?.positions[index], policy: policy.name)
  }

  private static func fold(
    _ file: String, _ policy: Policy, _ progress: ReadProgress, _ invocation: Invocation
  ) throws {
    let source = try RecordingSource(file, progress: progress.count(bytes:))
    var fold = RecordingFold(policy)
    var hasEvents = false
    while let line = try source.next() {
      if case .event = line { hasEvents = true }
      if let step = fold.take(line) {
        progress.clearForOutput()
        if invocation.wantsJSON {
          try invocation.output.json(
            FoldedTransition(
              state: fold.state, identity: fold.identity, step: step, place: place(in: file, source, invocation)))
        } else {
          try invocation.output.lines(text(fold, step, at: "\(source.line)", invocation.style))
        }
      }
      // Events that are typed by hand show their effect at once.
      if !source.isReady { try invocation.output.flush() }
    }
    guard hasEvents else { throw Failure("\(source.name) has no events") }
  }

  private static func fold(_ session: LoadedSession, _ policy: Policy, _ invocation: Invocation) throws {
    var fold = RecordingFold(policy)
    for (index, event) in session.events.enumerated() {
      guard let step = fold.take(event) else { continue }
      if invocation.wantsJSON {
        let folded = FoldedTransition(
          state: fold.state, identity: identity(session, index, policy), step: step,
          place: FoldPlace(number: session.numbers[index]))
        try invocation.output.json(folded)
      } else {
        try invocation.output.lines(text(fold, step, at: "#\(session.numbers[index])", invocation.style))
      }
    }
  }

  /// - Parameter number: The event's line in a file, or its number in a logged session, as `--at` takes it.
  private static func text(
    _ fold: RecordingFold, _ step: Policy.Step, at number: String, _ style: Style
  ) -> [String] {
    let time = TimeText.sinceStart(fold.elapsed)
    let changes = WatchedValues(fold.state).text(changed: step.changed.names, style: style)
    let head = String(repeating: " ", count: max(0, 6 - number.utf8.count)) + number
    let reason = step.reason.map { style.dim("  — \(NumberText.rounded(in: "\($0)"))") } ?? ""
    let line = head + "  " + String(repeating: " ", count: max(0, 11 - time.count)) + time + "  " + changes
    if style.fits(line + reason) { return [line + reason] }
    // In a narrow terminal, the reason is below what it explains.
    return ([line] + (reason.isEmpty ? [] : [String(repeating: " ", count: 6) + reason])).map(style.fitted)
  }
}

/// The JSON form of a transition that scrollctl folded from a recording or a logged session.
struct FoldedTransition: JSONWritable {
  var state: FoldState
  var identity: StateIdentity
  var step: Policy.Step
  var place: FoldPlace

  func write(to writer: inout JSONWriter) {
    state.writeTransition(to: &writer, as: identity, step, at: place)
  }
}
