// Fuzzes one of the decoders: `scrollfuzz TARGET [libFuzzer's options and corpora]`, or `scrollfuzz seeds DIRECTORY`.

import CLibFuzzer
import Glibc

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "seeds" {
  try Seeds.write(to: arguments[2])
  exit(0)
}
guard arguments.count > 1, let target = FuzzTarget(rawValue: arguments[1]) else {
  let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
  let usage = "usage: scrollfuzz TARGET [OPTION|CORPUS]…, TARGET is one of \(names); or scrollfuzz seeds DIRECTORY\n"
  write(STDERR_FILENO, usage, usage.utf8.count)
  exit(2)
}

// libFuzzer keeps the arguments until the program ends.
var kept: [UnsafeMutablePointer<CChar>?] = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(kept.count - 1)
let status = kept.withUnsafeMutableBufferPointer { buffer in
  var start = buffer.baseAddress
  return LLVMFuzzerRunDriver(&count, &start, target.callback)
}
exit(status)
