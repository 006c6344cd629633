import ScrollClient
import ScrollLog
import ScrollModel

extension Verb {
  static let verify = Verb(
    name: "verify", group: .manage,
    arguments: [Argument(name: "DIR", isRequired: false)],
    summary: "Check the log in a state directory, without a daemon",
    details: [
      "Checks the checksum of every block and reads every record. Damage is reported by file and byte, and the exit status "
        + "is 1, even if the damage costs no record; then that is said, too. The last segment may have an unfinished end, from a "
        + "running daemon or a crash; that is not damage. Nor is a gap that “repair” left: it is named, with the number of "
        + "missing records.",
      "A directory without any log, as a backup that was killed leaves it, is an error. The exit status is 1, too, but "
        + "nothing is on standard output.",
      "Without DIR, the directory is the state directory of the daemon that --system or --user selects. A daemon that "
        + "--socket or $SCROLLD_SOCKET selects is asked for it, for which it must be running and you must manage it. Otherwise, "
        + "it is your own if it exists, else the system's.",
    ],
    examples: [Example(arguments: "verify /var/lib/scrolld", meaning: "Check the log of the system's daemon.")]
  ) { invocation in
    let directory = try invocation.argument(0) ?? StateDirectory.choose(invocation.command)
    try StateDirectory.requireLog(in: directory)
    let progress = ProgressBar("verify", "files")
    let segments = try LogVerification.verify(directory: directory, fileSystem: POSIXFileSystem()) { done, total in
      progress.total = Int64(total)
      progress.update(Int64(done))
    }
    progress.clear()
    var isDamaged = false
    for segment in segments {
      if !segment.problems.isEmpty { isDamaged = true }
      if invocation.wantsJSON {
        try invocation.output.json(SegmentJSON(segment: segment))
      } else {
        try invocation.output.lines(lines(segment, invocation.style))
      }
    }
    if segments.isEmpty {
      throw Failure(
        "\(directory) has no log: its directory “log” is empty",
        hint: "A daemon's log has at least one file, and so has a backup. A backup that was killed leaves this.")
    }
    return isDamaged ? .failed : .done
  }

  /// Returns the result of a segment's check as lines of text.
  static func lines(_ segment: SegmentVerification, _ style: Style) -> [String] {
    let file = visible(segment.file)
    let positions = segment.records == 0 ? "" : " positions \(segment.firstPosition) to \(segment.lastPosition),"
    let records = segment.records == 0 ? "no records" : segment.records == 1 ? "1 record" : "\(segment.records) records"
    let blocks = segment.blocks == 1 ? "1 block" : "\(segment.blocks) blocks"
    let mark = segment.problems.isEmpty ? style.green("ok") : style.red("damaged")
    let packed = segment.isPacked ? ", packed" : ""
    var lines = ["\(file): \(mark),\(positions) \(records) in \(blocks)\(packed)"]
    if let note = segment.gapNote { lines.append("\(file): \(note)") }
    lines += segment.problems.map { "\(file): byte \($0.offset): \(visible($0.reason))" }
    if segment.isRepairable { lines.append("\(file): “scrollctl repair” makes the good records of this file readable") }
    if let reassurance = segment.reassurance { lines.append("\(file): \(reassurance)") }
    if let unfinished = segment.unfinished {
      lines.append("\(file): byte \(unfinished.offset): unfinished end, no damage: \(visible(unfinished.reason))")
    }
    return lines
  }
}
