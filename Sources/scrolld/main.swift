import Platform
import ScrollService

let help = """
  scrolld [--config FILE] [--state-directory DIR] [--socket PATH]
  scrolld [--config FILE] --check-config

  Records scroll events in a log, derives toolbar states from them, and pushes the changes to subscribers.

    --config FILE          read FILE and FILE.d/*.conf instead of the default scrolld.conf
    --state-directory DIR  keep the log in DIR [$STATE_DIRECTORY, else /var/lib/scrolld for root
                           and $XDG_STATE_HOME/scrolld for users]
    --socket PATH          listen on PATH if the service manager passes no socket
                           [/run/scrolld/socket for root, $XDG_RUNTIME_DIR/scrolld/socket for users]
    --check-config         print every mistake in the configuration with its place, and exit
    --help                 print this help
    --version              print the version

  SIGTERM shuts the daemon down cleanly, SIGHUP reloads the configuration.
  Exit status: 0 clean shutdown, 1 failure, 2 bad usage, 65 damaged log, 77 no permission,
  78 bad configuration.

  """

/// Prints a text to standard output and exits.
func printAndExit(_ text: String) -> Never {
  do { try BorrowedDescriptor.standardOutput.write(text) } catch {
    StandardError.write("scrolld: cannot write to standard output: \(error)\n")
    CurrentProcess.exit(1)
  }
  CurrentProcess.exit(0)
}

/// Prints a usage error and exits.
func exitForUsage(_ message: String) -> Never {
  StandardError.write("scrolld: \(message)\nTry 'scrolld --help'.\n")
  CurrentProcess.exit(2)
}

// A signal that comes before the daemon can receive it has to wait, and must not end the process.
Daemon.blockSignals()
Memory.returnWhatIsFreed()
StandardDescriptors.occupy()
var options = DaemonOptions()
var checksConfiguration = false
var arguments = CommandLine.arguments.dropFirst()
var given: Set<String> = []
while let argument = arguments.popFirst() {
  let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  func value() -> String {
    guard let value = parts.count == 2 ? parts[1] : arguments.popFirst() else {
      exitForUsage("\(argument) needs a value")
    }
    if value.isEmpty { exitForUsage("the value of \(parts[0]) must not be empty") }
    if !given.insert(parts[0]).inserted { exitForUsage("\(parts[0]) appears twice") }
    return value
  }
  switch parts[0] {
  case "--config": options.configurationFile = value()
  case "--state-directory": options.stateDirectory = value()
  case "--socket": options.socket = value()
  case "--check-config" where parts.count == 1: checksConfiguration = true
  case "--help" where parts.count == 1:
    printAndExit(help)
  case "--version" where parts.count == 1:
    printAndExit("scrolld \(Daemon.version)\n")
  case let option where option.hasPrefix("-"): exitForUsage("unknown option “\(option)”")
  default: exitForUsage("unknown argument “\(argument)”: a configuration file is given with --config FILE")
  }
}
if checksConfiguration {
  let status = Daemon(options).checkConfiguration { line, isProblem in
    if isProblem { return StandardError.write("scrolld: \(line)\n") }
    // Whoever cannot see the text still gets the exit status.
    try? BorrowedDescriptor.standardOutput.write("scrolld: \(line)\n")
  }
  CurrentProcess.exit(status)
}
CurrentProcess.exit(Daemon(options).run())
