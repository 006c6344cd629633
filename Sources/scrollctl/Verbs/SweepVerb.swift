import JSON
import ScrollAnalysis
import ScrollModel

extension Verb {
  private static let range = "PARAMETER=FROM..TO[:STEP]"

  static let sweep = Verb(
    name: "sweep", group: .recordings,
    arguments: [Argument(name: range), Argument(name: "FILE|GLOB|CLIENT|SESSION", repeats: true)],
    options: [.policy, .set, .config] + SessionSources.options,
    summary: "Try values of a policy's parameter, and find the smallest without flickers",
    details: [
      "scrollctl folds the sessions once for each value from FROM to TO, and prints how often the toolbar turned, how often "
        + "it turned back within 300 ms, and how long it was hidden. Without STEP, these are FROM, TO and some round numbers "
        + "between them. The last line names the smallest value without flickers.",
      subjects,
      "The policy is the default policy, unless --policy names another; --set sets its other parameters. “policies” lists "
        + "the parameters and what each means.",
      "With --json, each value is an object. Spans are in microseconds.",
    ],
    examples: [
      Example(
        arguments: "sweep hideDistance=5..40 *.ndjson",
        meaning: "See how far a user should scroll before the bar hides."),
      Example(
        arguments: "sweep showDistance=2..20:2 --policy headroom reader/main",
        meaning: "Try ten values of another policy on what the reader's window has just done."),
    ]
  ) { invocation in
    let argument = invocation.command.arguments[0]
    let (parameter, values) = try values(argument)
    if let assignment = invocation.command.texts(.set).first(where: { $0.hasPrefix(parameter + "=") }) {
      throw UsageError.badAssignment(
        option: Option.set.name, reason: "“\(assignment)” sets the parameter that is swept: leave it out")
    }
    let choice = try PolicyChoice(invocation.command)
    let standard = try invocation.command.text(.policy).map { text throws(UsageError) in
      try choice.policy(named: text)
    }
    let policy = try PolicyChoice.variant(of: standard ?? .safari, invocation.command.texts(.set))
    do throws(Policy.ParameterError) {
      // Reading many recordings takes long, so a wrong name comes first.
      try Sweep.check(policy, parameter: parameter, values: values)
    } catch {
      throw UsageError.unusableArgument(argument, reason: error.suggestion, verb: "sweep")
    }
    let arguments = invocation.command.arguments.dropFirst()
    let (sessions, isComplete) = try SessionLoader(invocation, reading: arguments).load(arguments)
    warnOfClassic([policy], sessions)
    var clocks = ClockNote()
    clocks.add(sessions)
    clocks.warn()
    let progress = ProgressBar("sweep", of: Int64(sessions.count * values.count), "sessions")
    let sweep = try Sweep(
      policy, parameter: parameter, values: values, sessions: sessions.map(\.events), closings: sessions.map(\.closed),
      progress: progress.updateNowAndThen)
    progress.clear()
    if standard == nil { choice.warn(of: sessions, foldedBy: [.safari]) }
    if invocation.wantsJSON {
      for row in sweep.rows {
        try invocation.output.json(SweptValue(policy: sweep.policy, parameter: sweep.parameter, row: row))
      }
    } else {
      let columns = invocation.style.columns
      let table = sweep.table(fitting: columns ?? .max)
      let note = table.leftOut.isEmpty ? [] : [missing(table.leftOut, of: "sweep")]
      let lines = [sweep.conclusion] + note
      try invocation.output.lines(
        table.lines.map(visible) + [""] + lines.flatMap { wrapped(visible($0), columns: columns ?? .max) })
    }
    return isComplete ? .done : .failed
  }

  /// Reads PARAMETER=FROM..TO[:STEP].
  private static func values(_ argument: String) throws(UsageError) -> (parameter: String, values: [Double]) {
    let words = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, !words[0].isEmpty else {
      throw .unusableArgument(
        argument, reason: "it must begin with a parameter and =, as in hideDistance=5..40", verb: "sweep")
    }
    do throws(SweepRange.Problem) {
      return (String(words[0]), try SweepRange.values(words[1]))
    } catch {
      throw .unusableArgument(argument, reason: error.description, verb: "sweep")
    }
  }
}

/// The JSON form of a value of a sweep.
struct SweptValue: JSONWritable {
  var policy: String
  var parameter: String
  var row: Sweep.Row

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("policy", policy)
    writer.member("parameter", parameter)
    writer.member("value", row.value)
    writer.member("flips", row.tally.flips)
    writer.member("flickers", row.tally.flickers.count)
    writer.member("flipsPerMinute", ifPresent: row.tally.flipsPerMinute)
    writer.member("scrolling", row.tally.scrolling)
    writer.member("hidden", row.tally.hidden)
    writer.member("duration", row.tally.duration)
    writer.endObject()
  }
}
