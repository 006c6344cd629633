// The daemon as a program: its command line and its exit status.

import Glibc
import ScrollService

let help = """
  scrolld [--config FILE] [--state-directory DIR] [--socket PATH]

  Hears what scroll views do, keeps it in a log, and tells subscribers what their toolbars do.

    --config FILE          read FILE and FILE.d/*.conf, not scrolld.conf of the search path
    --state-directory DIR  keep the log in DIR [$STATE_DIRECTORY, else /var/lib/scrolld for root
                           and $XDG_STATE_HOME/scrolld for users]
    --socket PATH          listen on PATH when the service manager hands over no socket
                           [/run/scrolld/socket for root, $XDG_RUNTIME_DIR/scrolld/socket for users]
    --help                 print this
    --version              print the version

  SIGTERM stops it in order, SIGHUP makes it read the configuration again.
  Exit status: 0 stopped in order, 1 failed, 2 bad usage, 65 the log is damaged, 78 the configuration is bad.

  """

/// Prints what was asked for, and ends.
func answer(_ text: String) -> Never {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else {
      StandardError.write("scrolld: cannot write to standard output: \(String(cString: strerror(errno)))\n")
      exit(1)
    }
    rest = rest.dropFirst(count)
  }
  exit(0)
}

func refuse(_ message: String) -> Never {
  StandardError.write("scrolld: \(message)\nTry 'scrolld --help'.\n")
  exit(2)
}

StandardDescriptors.occupy()
var options = Daemon.Options()
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  func value() -> String {
    guard let value = parts.count == 2 ? parts[1] : arguments.popFirst() else {
      refuse("\(argument) needs a value after it")
    }
    if value.isEmpty { refuse("the value of \(parts[0]) must not be empty") }
    return value
  }
  switch parts[0] {
  case "--config": options.configurationFile = value()
  case "--state-directory": options.stateDirectory = value()
  case "--socket": options.socket = value()
  case "--help" where parts.count == 1:
    answer(help)
  case "--version" where parts.count == 1:
    answer("scrolld \(Daemon.version)\n")
  default: refuse(argument.hasPrefix("-") ? "there is no option “\(argument)”" : "takes no argument “\(argument)”")
  }
}
exit(Daemon(options).run())
