import Platform
import ScrollLog
import ScrollModel

/// The file in the state directory that keeps over restarts how the log's clock followed the wall clock.
///
/// Its first line is the id of the boot. Each other one is a stretch: its pace, the moment since the boot when it began and the
/// log's time then, and the wall clock's lead over the time since the boot; all three in microseconds. After a power loss another
/// boot follows, for which only old times matter, so it needs no sync.
struct ClockFile {
  let directory: String
  let boot: BootID

  private var path: String { directory + "/clock" }

  /// Returns what the previous daemon saved, if anything.
  func read() -> LogClock.Memory? {
    guard let bytes = try? TextFile.readRegular(path) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first else { return nil }
    let stretches = lines.dropFirst().map { Self.stretch($0.split(separator: " ")) }
    let known = stretches.compactMap { $0 }
    guard !known.isEmpty, known.count == stretches.count, known.count <= LogClock.maximumStretches,
      zip(known, known.dropFirst()).allSatisfy({ $0.begin.boot <= $1.begin.boot })
    else { return nil }
    let isOfThisBoot = first == name
    // The moments of earlier boots are negative.
    if isOfThisBoot, known[known.count - 1].begin.boot < 0 { return nil }
    return LogClock.Memory(isOfThisBoot: isOfThisBoot, stretches: known)
  }

  private static func stretch(_ words: [Substring]) -> LogClock.Stretch? {
    guard words.count == 4, let pace = LogClock.Pace(rawValue: String(words[0])), let moment = Int64(words[1]),
      let time = Int64(words[2]), let offset = Int64(words[3]), (-latest...latest).contains(moment),
      (0...Event.latestTime).contains(time), (-latest...latest).contains(offset),
      (0...Event.latestTime).contains(moment + offset)
    else { return nil }
    return LogClock.Stretch(begin: LogClock.Mark(boot: moment, time: time), pace: pace, offset: offset)
  }

  /// Saves the stretches.
  ///
  /// - Throws: The first error. The next daemon then starts with the wall clock, or with what was saved before.
  func write(_ stretches: [LogClock.Stretch]) throws(SystemError) {
    do throws(Errno) {
      let temporary = path + ".tmp"
      let file = try FileDescriptor(opening: temporary, [.writeOnly, .create, .truncate, .noFollow])
      let lines = stretches.map { "\($0.pace.rawValue) \($0.begin.boot) \($0.begin.time) \($0.offset)\n" }
      try file.borrowed.write(name + "\n" + lines.joined())
      _ = consume file
      try Files.rename(temporary, to: path)
    } catch {
      throw SystemError("write", path, error)
    }
  }

  private var name: String { "\(boot.high)-\(boot.low)" }

  /// Far more than 256 boots last, so that one can calculate with it.
  private static let latest: Int64 = 1 << 60
}
