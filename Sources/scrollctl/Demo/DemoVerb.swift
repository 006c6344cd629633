import ScrollClient
import ScrollJSON
import ScrollModel

extension Verb {
  private static let speed = Option(
    name: "speed", value: "N", summary: "Playback speed, as a multiple of the recorded one [1.5]")

  static let demo = Verb(
    name: "demo", group: .start,
    arguments: [Argument(name: "FILE", isRequired: false)],
    options: [speed],
    summary: "See what scrolld does in a few seconds",
    details: [
      "The demo starts a daemon in a temporary directory and plays a recording into its socket. A subscriber shows what "
        + "the daemon pushes: the toolbar hiding and coming back, and why. Then the demo restarts the daemon and checks "
        + "that its state and log are unchanged. At the end it removes everything.",
      "The recording is the first session of FILE. Without FILE, it is an article that was read to its bottom in Chromium.",
    ],
    examples: [
      Example(arguments: "demo", meaning: "The demo takes about ten seconds."),
      Example(arguments: "demo --speed 20 | cat", meaning: "Print plain lines, and play fast."),
    ]
  ) { invocation in
    let speed = try invocation.command.positive(speed) ?? 1.5
    let session = try demoSession(invocation.argument(0))
    let program = try DemoDaemon.program()
    let interruption = Interruption()
    defer { interruption.release() }
    let directory = try TemporaryDirectory(prefix: "scrolld-demo-")
    defer { directory.remove() }
    let player = DemoPlayer(session: session, client: "demo/\(session.name)", speed: speed)
    try show(player, program, directory.path, interruption, invocation)
    return .done
  }

  private static func demoSession(_ file: String?) throws -> LoadedSession {
    if let file { return try LoadedSession.load(file: file)[0] }
    return try LoadedSession.embedded(PackageResources.article_to_bottom_ndjson, name: "article-to-bottom")
  }

  private static func show(
    _ player: DemoPlayer, _ program: String, _ directory: String, _ interruption: Interruption,
    _ invocation: Invocation
  ) throws {
    let output = invocation.output
    let style = invocation.style
    let daemon = try DemoDaemon(program: program, directory: directory, interruption)
    let view = DemoView(output, style)
    try view.begin()
    defer { view.end() }
    let (session, model) = try player.play(on: daemon, view, interruption)
    view.end()
    let flips = model.flips
    try output.line("")
    try output.line(
      "\(count(model.sentEvents, "event")) sent, \(count(model.pushed.count, "transition")) pushed: "
        + "the toolbar hid \(times(flips.hidden)), came back \(times(flips.shown)).")
    let before = try DemoProof(ServiceConnection(daemon.address), client: player.client)
    try output.line("Restarting the daemon on the same directory …")
    try output.flush()
    try daemon.stop()
    let again = try DemoDaemon(program: program, directory: directory, interruption)
    let connection = try ServiceConnection(again.address)
    let after = try DemoProof(connection, client: player.client)
    guard before == after else {
      throw Failure("the restart changed the state or the log")
    }
    try output.line(
      style.green("The same state") + " (toolbar \(after.state.toolbar.name)), and the same "
        + "\(after.records.count) records at the same positions.")
    try connection.close(session)
    try again.stop()
    try output.line("")
    try output.line("Now try it yourself: start scrolld, then “scrollctl watch” in one terminal and")
    try output.line("“scrollctl record FILE” in another. “scrollctl --help” lists all verbs.")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  private static func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }
}

/// What a restart must not change: the states of open sessions, and every record at its position.
struct DemoProof: Equatable {
  var states: [StateReport]
  /// The client's state, looked up by its name.
  var state: StateReport
  var records: [LogEntry]

  init(_ daemon: ServiceConnection, client: String) throws(ServiceError) {
    states = try daemon.list()
    state = try daemon.state(of: client)
    records = []
    for entry in try daemon.read(LogQuery()) { records.append(try entry.get()) }
  }
}
