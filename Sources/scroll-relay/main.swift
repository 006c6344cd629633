import Platform
import ScrollClient
import ScrollModel
import ScrollRelay
import ScrollService

let help = """
  scroll-relay [OPTION]… VERB

  Copies the log of this machine's scrolld into a PostgreSQL database, each record exactly once.

    init                   make the schema in the database, or upgrade it
      --partitions N       divide each table into N partitions by machine
      --period UNIT        divide records and transitions by time: month, week or day
      --row-security       let readers see only the rows of the users listed in scroll.reader
      --foreign-shards     make tables whose partitions you put on other servers
      --distributed        distribute the tables by machine with Citus
      --print              print the statements for a new schema instead
    run                    relay until a signal comes
    status                 list the machines of the database
      --json               print one JSON object per machine
      --format openmetrics print metrics for a monitoring system
    export [PATTERN…]      print the sessions of clients that match, or with an id, as scrollctl export does
      --of MACHINE         those of one machine, by its id or name

    --config FILE          read FILE and FILE.d/*.conf instead of the default scroll-relay.conf
    --database STRING      libpq's connection string [Database=]
    --machine ID           the id of this machine, 32 hexadecimal digits [Machine=, else the system's]
    --name NAME            the name of this machine [Name=, else the host's]
    --socket PATH          the daemon's socket [Socket=, $SCROLLD_SOCKET, else the user's or the system's]
    --help                 print this help
    --version              print the version

  Exit status: 0 done, 1 failure or another log than the database has, 2 bad usage, 77 no permission,
  78 bad configuration or another version's schema.

  """

/// What the command line asks for.
struct Command {
  var configurationFile: String?
  var database: String?
  var machine: SessionID?
  var name: String?
  var socket: String?
  var verb = ""
  var arguments: [String] = []
  var layout = Schema.Layout()
  var prints = false
  var format = "text"
  var of: String?
}

/// Ends the program with a message.
func fail(_ message: String, status: Int32 = 1) -> Never {
  StandardError.write("scroll-relay: \(message)\n")
  CurrentProcess.exit(status)
}

func exitForUsage(_ message: String) -> Never { fail("\(message)\nTry 'scroll-relay --help'.", status: 2) }

func output(_ text: String) {
  do { try BorrowedDescriptor.standardOutput.write(text) } catch {
    if error == .brokenPipe { CurrentProcess.exit(1) }
    fail("cannot write to standard output: \(error)")
  }
}

func parse(_ arguments: some Collection<String>) -> Command {
  var command = Command()
  var rest = Array(arguments)[...]
  var isOptions = true
  var given: Set<String> = []
  while let argument = rest.popFirst() {
    if !isOptions || !argument.hasPrefix("-") || argument == "-" {
      if command.verb.isEmpty { command.verb = argument } else { command.arguments.append(argument) }
      continue
    }
    if argument == "--" {
      isOptions = false
      continue
    }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    func value() -> String {
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { exitForUsage("\(argument) needs a value") }
      if value.isEmpty { exitForUsage("the value of \(parts[0]) must not be empty") }
      if !given.insert(parts[0]).inserted { exitForUsage("\(parts[0]) appears twice") }
      return value
    }
    func requireVerb(_ verb: String) {
      if command.verb != verb { exitForUsage("\(parts[0]) is an option of “\(verb)”, and comes after it") }
    }
    switch parts[0] {
    case "--help" where parts.count == 1:
      output(help)
      CurrentProcess.exit(0)
    case "--version" where parts.count == 1:
      output("scroll-relay \(Daemon.version)\n")
      CurrentProcess.exit(0)
    case "--config": command.configurationFile = value()
    case "--database": command.database = value()
    case "--name": command.name = value()
    case "--socket": command.socket = value()
    case "--machine":
      let text = value()
      guard let machine = RelayConfiguration.machine(text) else {
        exitForUsage("--machine must have 32 hexadecimal digits: “\(text)”")
      }
      command.machine = machine
    case "--partitions":
      requireVerb("init")
      guard let count = Int(value()), (1...1024).contains(count) else {
        exitForUsage("--partitions must be from 1 to 1024")
      }
      command.layout.partitions = count
    case "--period":
      requireVerb("init")
      guard let period = Schema.Period(rawValue: value()) else { exitForUsage("--period must be month, week or day") }
      command.layout.period = period
    case "--row-security" where parts.count == 1:
      requireVerb("init")
      command.layout.hasRowSecurity = true
    case "--foreign-shards" where parts.count == 1:
      requireVerb("init")
      command.layout.hasForeignShards = true
    case "--distributed" where parts.count == 1:
      requireVerb("init")
      command.layout.isDistributed = true
    case "--print" where parts.count == 1:
      requireVerb("init")
      command.prints = true
    case "--json" where parts.count == 1:
      requireVerb("status")
      command.format = "json"
    case "--format":
      requireVerb("status")
      command.format = value()
      guard ["text", "json", "openmetrics"].contains(command.format) else {
        exitForUsage("--format must be text, json or openmetrics")
      }
    case "--of":
      requireVerb("export")
      command.of = value()
    default: exitForUsage("unknown option “\(argument)”")
    }
  }
  let layout = command.layout
  if [layout.partitions != nil, layout.hasForeignShards, layout.isDistributed].filter({ $0 }).count > 1 {
    exitForUsage("--partitions, --foreign-shards and --distributed exclude each other")
  }
  if layout.period != nil, layout.hasForeignShards || layout.isDistributed {
    exitForUsage("--period cannot be combined with --foreign-shards or --distributed")
  }
  if command.verb != "export", let extra = command.arguments.first { exitForUsage("unexpected argument “\(extra)”") }
  return command
}

func configuration(_ command: Command) -> RelayConfiguration {
  var configuration: RelayConfiguration
  do throws(ConfigurationError) {
    configuration = try RelayConfiguration.read(file: command.configurationFile)
  } catch {
    fail("\(error)", status: error.isPermissionDenied ? 77 : 78)
  }
  if let database = command.database { configuration.database = database }
  if let machine = command.machine { configuration.machine = machine }
  if let name = command.name { configuration.name = name }
  if let socket = command.socket { configuration.socket = socket }
  return configuration
}

func address(_ configuration: RelayConfiguration) -> DatabaseAddress {
  do { return try configuration.address() } catch { fail("\(error)", status: 78) }
}

/// Connects to the database, and ends the program if its schema is not this version's.
func open(_ configuration: RelayConfiguration, requiringSchema: Bool = true) throws -> Database {
  let database = try Database(address(configuration))
  if requiringSchema, let problem = Schema.problem(withVersion: try Schema.present(in: database)) { throw problem }
  return database
}

func initialize(_ command: Command) throws {
  if command.prints { return output(Schema.script(from: 0, command.layout)) }
  let before = try Schema.apply(command.layout, to: open(configuration(command), requiringSchema: false))
  switch before {
  case 0: output("Made the schema “scroll”, version \(Schema.version).\n")
  case Schema.version: output("The schema “scroll” already has version \(Schema.version).\n")
  default: output("Upgraded the schema “scroll” from version \(before) to \(Schema.version).\n")
  }
  if before > 0, command.layout.isDivided {
    output("Its tables stay divided as they are: that is chosen when the schema is made.\n")
  }
}

func export(_ command: Command) throws {
  let export = RecordingExport(try open(configuration(command)))
  let glob = Glob(command.arguments)
  let ids = Set(command.arguments.compactMap { SessionID($0) })
  var machines = try export.machines()
  if let wanted = command.of {
    machines = machines.filter { $0.name == wanted || $0.id == RelayConfiguration.machine(wanted) }
    if machines.isEmpty { fail("the database has no machine “\(wanted)”; “scroll-relay status” lists them") }
    if machines.count > 1 {
      let ids = machines.map { "\($0.id)" }.joined(separator: ", ")
      fail("\(machines.count) machines have the name “\(wanted)”; name one by its id: \(ids)")
    }
  }
  var found = false
  var incomplete: [RecordingExport.Stored] = []
  for machine in machines {
    for session in try export.sessions(of: machine.id) {
      guard glob.matches(session.client) || ids.contains(session.shownID) else { continue }
      found = true
      guard try export.isComplete(session) else {
        incomplete.append(session)
        continue
      }
      try export.lines(of: session) { try BorrowedDescriptor.standardOutput.write($0) }
    }
  }
  if !found { fail("no session of the database matches") }
  guard let first = incomplete.first else { return }
  let example = "\(first.shownID) of “\(ConfigurationFile.shown(first.client))”"
  fail(
    incomplete.count == 1
      ? "left out the session \(example): the database has only a part of it"
      : "left out \(incomplete.count) sessions of which the database has only a part, such as \(example)")
}

extension BorrowedDescriptor {
  fileprivate func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}

func relay(_ command: Command) throws -> Int32 {
  let configuration = configuration(command)
  let socket = configuration.socket ?? ServiceAddress.standard().path
  let loop = try RelayLoop(
    configuration, MachineIdentity(configuration), address(configuration), socket: socket, version: Daemon.version)
  return try loop.run()
}

RelayLoop.blockSignals()
StandardDescriptors.occupy()
let command = parse(CommandLine.arguments.dropFirst())
do {
  switch command.verb {
  case "init": try initialize(command)
  case "run": CurrentProcess.exit(try relay(command))
  case "status":
    let status = try FleetStatus(open(configuration(command)))
    output(command.format == "json" ? status.json : command.format == "openmetrics" ? status.openMetrics : status.text)
  case "export": try export(command)
  case "": exitForUsage("a verb is missing: init, run, status or export")
  default: exitForUsage("unknown verb “\(command.verb)”")
  }
} catch let failure as DatabaseFailure {
  let use: DatabaseFailure.Use =
    command.verb == "init" ? .initializing : command.verb == "run" ? .relaying : .reading
  let problem = failure.problem(while: use)
  fail("\(problem)", status: problem.status ?? 1)
} catch let problem as RelayProblem {
  fail("\(problem)", status: problem.status ?? 1)
} catch let error as Errno where error == .brokenPipe {
  CurrentProcess.exit(1)
} catch {
  fail("\(error)")
}
