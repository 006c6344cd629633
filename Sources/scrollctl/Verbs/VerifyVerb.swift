// scrollctl verify: whether the log on disk is whole.

import Glibc
import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  static let verify = Verb(
    name: "verify", group: .manage,
    arguments: [Argument(name: "DIR", isRequired: false)],
    summary: "Check the log in a state directory, without a daemon",
    details: [
      "Every block's checksum is checked and every record is read. Damage is told by file and byte, and the exit status "
        + "is 1. An unfinished end of the last segment, as a running daemon or a crash leaves it, is no damage.",
      "Without DIR the state directory of the daemon is meant that --system or --user names; else yours, if it is there; "
        + "else the machine's.",
    ],
    examples: [Example(arguments: "verify /var/lib/scrolld", meaning: "The machine's log.")]
  ) { invocation in
    let directory = try invocation.argument(0) ?? StateDirectory.choose(invocation.command)
    let segments = try LogVerification.verify(directory: directory, fileSystem: POSIXFileSystem())
    var isDamaged = false
    for segment in segments {
      if !segment.problems.isEmpty { isDamaged = true }
      if invocation.wantsJSON {
        try invocation.output.json(SegmentJSON(segment: segment))
      } else {
        try invocation.output.lines(lines(segment, invocation.style))
      }
    }
    if segments.isEmpty, !invocation.wantsJSON { try invocation.output.line("\(visible(directory)) holds no log.") }
    return isDamaged ? .failed : .done
  }

  /// What a check of a segment found, for people.
  static func lines(_ segment: SegmentVerification, _ style: Style) -> [String] {
    let file = visible(segment.file)
    let positions =
      segment.records == 0 ? "no records" : "positions \(segment.firstPosition) to \(segment.lastPosition)"
    let mark = segment.problems.isEmpty ? style.green("ok") : style.red("damaged")
    let packed = segment.isPacked ? ", packed" : ""
    var lines = ["\(file): \(mark), \(positions), \(segment.records) records in \(segment.blocks) blocks\(packed)"]
    lines += segment.problems.map { "\(file): byte \($0.offset): \(visible($0.reason))" }
    if let reassurance = segment.reassurance { lines.append("\(file): \(reassurance)") }
    if let unfinished = segment.unfinished {
      lines.append("\(file): byte \(unfinished.offset): unfinished end, no damage: \(visible(unfinished.reason))")
    }
    return lines
  }
}
