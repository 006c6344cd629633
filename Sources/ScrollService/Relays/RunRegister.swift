import ScrollLog
import ScrollModel

/// This run of the daemon, which is recorded beside the log once a relay follows.
final class RunRegister {
  private let file: RunFile
  private let run: FollowedRuns.Run
  private var isRecorded = false

  /// - Parameters:
  ///   - position: The last position of the log when the run begins.
  ///   - now: The time, by the log's clock.
  init(_ file: RunFile, after position: Position, at now: Int64) {
    self.file = file
    run = FollowedRuns.Run(
      id: SessionID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)), after: position, began: now)
  }

  /// Records the run unless it is recorded.
  ///
  /// - Returns: Its id; `nil` if the file can't be written. Relays then keep the id of an earlier run, and this one counts as a part
  ///   of that.
  func record() -> SessionID? {
    if isRecorded { return run.id }
    do throws(FileError) {
      try file.add(run)
      isRecorded = true
      return run.id
    } catch {
      return nil
    }
  }

  /// Returns whether this log sent a place whose record it no longer has.
  ///
  /// - Throws: `LogDamaged` when the file can't be read.
  func includes(
    _ place: FollowedRuns.Place, in generations: GenerationHistory
  ) throws(ReadError) -> Bool {
    do throws(FileError) {
      return try file.runs().include(place, in: generations)
    } catch {
      throw .file(error)
    }
  }
}
