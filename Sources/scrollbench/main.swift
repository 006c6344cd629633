// Benchmarks as a program: which one, and with what.

import Glibc
import ScrollService

let help = """
  scrollbench ingest [--feeders N] [--events N] [--window N] [--seconds N] [--sync MODE] [--compress yes|no|both]
                     [--rounds N] [--segment-size N] [--state-directory DIR]
  scrollbench fold [--seconds N]
  scrollbench size [--recordings DIR] [--state-directory DIR]

  ingest  Starts a daemon of its own and lets feeders append to it over its socket, every call answered.
          Prints events per second, all feeders together, and what the daemon spent on one.
    --feeders N            connections that append at the same time [4]
    --events N             events a call [64]
    --window N             calls that a feeder has under way at a time [8]
    --seconds N            how long [5]
    --sync MODE            commit, interval or never, as Sync= of the configuration [commit]
    --compress VALUE       yes or no, as Compress=; both measures one after the other and compares them [yes]
    --rounds N             how often [1]
    --segment-size N       as SegmentSize=, in MiB; what is packed meanwhile has to be sealed before [64]
    --state-directory DIR  where the log is written; it is removed afterwards [a new directory in /var/tmp]
  fold    Folds a session in memory, again and again. Prints events per second for each rule.
  size    Writes recordings to a log of its own, one session after the other, and packs it. Prints bytes an event
          before and after, with one and with eight events a group commit.
    --recordings DIR       where the recordings are, *.ndjson [Tests/Fixtures/recordings]
    --state-directory DIR  as above

  """

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  switch arguments.name {
  case "ingest": try IngestBenchmark(arguments).run()
  case "fold": try FoldBenchmark(arguments).run()
  case "size": try SizeBenchmark(arguments).run()
  case "--help": print(help, terminator: "")
  default: throw Arguments.Problem("there is no benchmark “\(arguments.name)”: there are ingest, fold and size")
  }
} catch let problem as Arguments.Problem {
  StandardError.write("scrollbench: \(problem)\nTry 'scrollbench --help'.\n")
  exit(2)
} catch {
  StandardError.write("scrollbench: \(error)\n")
  exit(1)
}
