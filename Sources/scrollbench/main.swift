import Platform

let help = """
  scrollbench [--only GROUP,…] [--runs N] [--quick] [--fail-beyond N] [--json] [--recordings DIR]
              [--state-directory DIR]
  scrollbench ingest [--feeders N] [--events N] [--window N] [--seconds N] [--sync MODE] [--compress yes|no|both]
                     [--rounds N] [--segment-size N] [--state-directory DIR]
  scrollbench fold [--seconds N]
  scrollbench size [--recordings DIR] [--state-directory DIR]

  Without a name, scrollbench measures the whole table of figures: how long an event takes until it is answered and until a
  subscriber has its transition, how many events a second are taken and read, and how long a start takes. It measures the
  least that the system calls take, and Redis if it is installed, in the same runs, and prints medians, their ratios with
  the least and the greatest, and whether the goals are met. It needs the machine to itself for some minutes.

    --only GROUP,…         measure only these: answered, pushed, batches, oneway, reading, starting, sessions, size
    --runs N               runs of each figure; latencies get at least 11 [5]
    --quick                fewer runs and smaller logs, for a look
    --fail-beyond N        exit with status 1 if a goal is missed by more than this factor; 1 if it is missed at all
    --json                 print one object a figure
    --recordings DIR       directory of the recordings from which the load is made [Tests/Fixtures/recordings]
    --state-directory DIR  parent of the temporary directories of the log and of Redis [/var/tmp]

  ingest  Starts a daemon and appends events over its socket from several feeders. Prints the events per second of
          all feeders together, and the daemon's processor time per event.
    --feeders N            connections that append concurrently [4]
    --events N             events per call [64]
    --window N             pipelined calls per feeder [8]
    --seconds N            duration of a measurement [5]
    --sync MODE            commit, interval or never, as Sync= in the configuration [commit]
    --compress VALUE       yes or no, as Compress=; both measures them in turn and compares them [yes]
    --rounds N             number of measurements [1]
    --segment-size N       as SegmentSize=, in MiB; smaller segments are sealed and packed earlier [64]
    --state-directory DIR  parent of the log's temporary directory [/var/tmp]
  fold    Folds a session in memory repeatedly. Prints events per second for each rule.
  size    Writes recordings to a log, one session after the other, and packs it. Prints bytes per event before and
          after packing, with one and with eight events per group commit.
    --recordings DIR       directory of the recordings, *.ndjson [Tests/Fixtures/recordings]
    --state-directory DIR  as above

  """

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  switch arguments.name {
  case "table": if try !TableBenchmark(arguments).run() { CurrentProcess.exit(1) }
  case "floor": try FloorServer(arguments).run()
  case "ingest": try IngestBenchmark(arguments).run()
  case "fold": try FoldBenchmark(arguments).run()
  case "size": try SizeBenchmark(arguments).run()
  case "--help": print(help, terminator: "")
  default:
    throw Arguments.Problem("unknown benchmark “\(arguments.name)”: choose ingest, fold, size, or none for the table")
  }
} catch let problem as Arguments.Problem {
  StandardError.write("scrollbench: \(problem)\nTry 'scrollbench --help'.\n")
  CurrentProcess.exit(2)
} catch {
  StandardError.write("scrollbench: \(error)\n")
  CurrentProcess.exit(1)
}
