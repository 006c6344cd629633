// Crashes, cuts and damages the log in many thousands of ways, and checks that it keeps every answer it gave.

import Glibc
import ScrollLog

guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
  say("usage: Tests/Crashes/run [--seed NUMBER] [--case NUMBER | --only WORD]")
  exit(2)
}
say("seed \(arguments.seed)")
do {
  let modes: [SyncMode] = [.commit, .interval(microseconds: 1_000), .never]
  var suites: [any Suite] = try modes.map { try CrashSuite($0, seed: arguments.seed) }
  suites += try modes.map { try RecoveryCrashSuite($0, seed: arguments.seed) }
  suites += try modes.map { try FailureSuite($0, seed: arguments.seed) }
  suites += try modes.map { try ShortTransferSuite($0, seed: arguments.seed) }
  suites.append(try CutSuite(seed: arguments.seed))
  suites += try modes.map { try BitFlipSuite($0, seed: arguments.seed) }
  suites += try modes.map { try DamageSuite($0, seed: arguments.seed) }
  let runner = Runner(suites: suites, seed: arguments.seed, word: arguments.word)
  let isGood: Bool
  if let number = arguments.caseNumber { isGood = runner.run(case: number) } else { isGood = await runner.runAll() }
  exit(isGood ? 0 : 1)
} catch {
  say("FAILED: \(error)")
  exit(1)
}
