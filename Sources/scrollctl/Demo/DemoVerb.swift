// scrollctl demo: all of it in a few seconds.

import ScrollClient
import ScrollJSON
import ScrollModel

extension Verb {
  private static let speed = Option(
    name: "speed", value: "N", summary: "Play it N times as fast as recorded (1.5)")

  static let demo = Verb(
    name: "demo", group: .start,
    arguments: [Argument(name: "FILE", isRequired: false)],
    options: [speed],
    summary: "Show in a few seconds what all this does",
    details: [
      "A daemon of its own is started in a temporary directory. A recording is played into it through its socket, while "
        + "a subscriber shows what the daemon pushes: the toolbar coming and going, and why. Then the daemon is stopped "
        + "and started again, and its state and log are compared with those before. At the end all of it is removed.",
      "The recording is an article read in Chromium down to its bottom and a little back, or the first session of FILE.",
    ],
    examples: [
      Example(arguments: "demo", meaning: "Takes about ten seconds."),
      Example(arguments: "demo --speed 20 | cat", meaning: "As plain lines, and quickly."),
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
      "\(model.sentEvents) events sent, \(model.pushed.count) transitions pushed: "
        + "the toolbar hid \(times(flips.hidden)), came back \(times(flips.shown)).")
    let before = try DemoProof(ServiceConnection(daemon.address), client: player.client)
    try output.line("Stopping the daemon, and starting it again on the same directory …")
    try output.flush()
    try daemon.stop()
    let again = try DemoDaemon(program: program, directory: directory, interruption)
    let connection = try ServiceConnection(again.address)
    let after = try DemoProof(connection, client: player.client)
    guard before == after else {
      throw Failure("after the restart the state or the log is not what it was")
    }
    try output.line(
      style.green("The same state") + " (toolbar \(after.state.toolbar.name)), and the same "
        + "\(after.records.count) records at the same positions.")
    try connection.close(session)
    try again.stop()
    try output.line("")
    try output.line("Now yours: start scrolld, “scrollctl watch” in one terminal, and")
    try output.line("“scrollctl record FILE” in another. “scrollctl --help” shows what else there is.")
  }

  private static func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }
}
