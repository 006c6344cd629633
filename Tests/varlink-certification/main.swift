// Runs the client or the service of org.varlink.certification, to test the module with other implementations.

import Platform
import Varlink

/// The exit status after a usage error.
let usage: Int32 = 2

func run(_ arguments: [String]) -> Int32 {
  let isClient = arguments.first == "--client"
  let operands = isClient ? Array(arguments.dropFirst()) : arguments
  guard operands.count == 1, let address = VarlinkAddress(operands[0]) else {
    StandardError.write("Usage: varlink-certification [--client] unix:PATH\n")
    return usage
  }
  do {
    if isClient {
      try CertificationClient(socket: ClientSocket(address)).run()
      print("Certification passed")
      return 0
    }
    guard case .path(let path) = address else {
      StandardError.write("varlink-certification: cannot listen on an abstract name; pass unix:PATH\n")
      return usage
    }
    try CertificationListener(path: path).serve(CertificationService())
  } catch {
    StandardError.write("varlink-certification: \(error)\n")
    return 1
  }
}

CurrentProcess.exit(run(Array(CommandLine.arguments.dropFirst())))
