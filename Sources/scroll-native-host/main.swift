import NativeHost
import Platform
import ScrollClient

let help = """
  scroll-native-host [ARGUMENTS OF THE BROWSER]

  Connects the scrolld extension of a browser to scrolld. Browsers start it themselves, and talk to it on standard input and
  output by native messaging: scroll-native-host(1) describes how.

  The daemon is the one at $SCROLLD_SOCKET if that is set, else the user's if its socket exists, else the system's.
  Exit status: 0 the browser has closed the connection, 1 it broke the protocol, or input or output failed, 2 bad usage.

  """

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") {
  do { try BorrowedDescriptor.standardOutput.write(help) } catch {
    StandardError.write("scroll-native-host: cannot write to standard output: \(error)\n")
    CurrentProcess.exit(1)
  }
  CurrentProcess.exit(0)
}
// Chromium passes the extension's origin; Firefox the path of the host's manifest and the extension's id.
if let option = arguments.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--parent-window") }) {
  StandardError.write("scroll-native-host: unknown option “\(option)”\nTry 'scroll-native-host --help'.\n")
  CurrentProcess.exit(2)
}
if BorrowedDescriptor.standardInput.isTerminal {
  StandardError.write(
    "scroll-native-host: standard input is a terminal; browsers start this program\nTry 'scroll-native-host --help'.\n")
  CurrentProcess.exit(2)
}
Signal.brokenPipe.ignore()
StandardDescriptors.occupy()
var loop = HostLoop(at: .standard())
CurrentProcess.exit(loop.run())
