import Platform

let help = """
  scrollbench ingest [--feeders N] [--events N] [--window N] [--seconds N] [--sync MODE] [--compress yes|no|both]
                     [--rounds N] [--segment-size N] [--state-directory DIR]
  scrollbench fold [--seconds N]
  scrollbench size [--recordings DIR] [--state-directory DIR]

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
  case "ingest": try IngestBenchmark(arguments).run()
  case "fold": try FoldBenchmark(arguments).run()
  case "size": try SizeBenchmark(arguments).run()
  case "--help": print(help, terminator: "")
  default: throw Arguments.Problem("unknown benchmark “\(arguments.name)”: choose ingest, fold or size")
  }
} catch let problem as Arguments.Problem {
  StandardError.write("scrollbench: \(problem)\nTry 'scrollbench --help'.\n")
  CurrentProcess.exit(2)
} catch {
  StandardError.write("scrollbench: \(error)\n")
  CurrentProcess.exit(1)
}
