import Platform
import ScrollLog

/// The file in the state directory that keeps the log's clock over restarts while it and the wall clock disagree.
///
/// It has one line: the id of the boot, a moment since the boot, and the log's time then, both in microseconds. It counts
/// only within that boot, so it needs no sync.
struct ClockFile {
  let directory: String
  let boot: BootID

  private var path: String { directory + "/clock" }

  /// Returns what the previous daemon of this boot saved, if anything.
  func read() -> LogClock.Mark? {
    guard let bytes = try? TextFile.readRegular(path) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 3, words[0] == name, let moment = Int64(words[1]), let time = Int64(words[2]),
      (0...Self.latest).contains(moment), (0...Self.latest).contains(time)
    else { return nil }
    return LogClock.Mark(boot: moment, time: time)
  }

  /// Saves a mark, or removes the file if there is none.
  ///
  /// - Throws: The first error. The next daemon then starts with the wall clock.
  func write(_ mark: LogClock.Mark?) throws(SystemError) {
    do throws(Errno) {
      guard let mark else { return try Files.remove(path) }
      let temporary = path + ".tmp"
      let file = try FileDescriptor(opening: temporary, [.writeOnly, .create, .truncate, .noFollow])
      try file.borrowed.write("\(name) \(mark.boot) \(mark.time)\n")
      _ = consume file
      try Files.rename(temporary, to: path)
    } catch {
      if mark != nil || error != .noSuchFile { throw SystemError("write", path, error) }
    }
  }

  private var name: String { "\(boot.high)-\(boot.low)" }

  /// Far more than a boot lasts and than any time is, so that one can calculate with it.
  private static let latest: Int64 = 1 << 60
}
