// Runs either side of org.varlink.certification, to try the module against other implementations.

import Glibc
import Varlink

/// The exit status of wrong usage.
let usage: Int32 = 2

func complain(_ text: String) {
  let line = Array("\(text)\n".utf8)
  // There is nowhere to say that this failed.
  _ = write(STDERR_FILENO, line, line.count)
}

func run(_ arguments: [String]) -> Int32 {
  let isClient = arguments.first == "--client"
  let operands = isClient ? Array(arguments.dropFirst()) : arguments
  guard operands.count == 1, let address = VarlinkAddress(operands[0]) else {
    complain("Usage: varlink-certification [--client] unix:PATH")
    return usage
  }
  do {
    if isClient {
      try CertificationClient(socket: ClientSocket(address)).run()
      print("Certification passed")
      return 0
    }
    guard case .path(let path) = address else {
      complain("varlink-certification: only a path can be listened at")
      return usage
    }
    try CertificationListener(path: path).serve(CertificationService())
  } catch {
    complain("varlink-certification: \(error)")
    return 1
  }
}

exit(run(Array(CommandLine.arguments.dropFirst())))
