import ScrollModel

/// Works on what is no longer written to: removes, rewrites and packs sealed segments. It waits for the disk; ``UpkeepThread``
/// runs it aside from the loop.
///
/// Only one of these may be at work at a time, since each puts new files in the place of those that it has read. The segment that
/// is written to is another's.
public struct Upkeep: Sendable {
  let directory: LogDirectory
  let options: LogOptions

  /// Does a job.
  ///
  /// - Parameter isCancelled: says whether packing shall come to nothing, which it does at the next packed block.
  public func perform(_ job: UpkeepJob, isCancelled: () -> Bool = { false }) -> UpkeepResult {
    switch job {
    case .remove(let segment):
      do throws(FileError) {
        try remove(segment)
        return .removed(segment)
      } catch {
        return .notRemoved(segment, error)
      }
    case .forget(let part):
      do throws(ReadError) {
        return .forgotten(part, try forget(part))
      } catch {
        return .notForgotten(part, error)
      }
    case .pack(let firstPosition):
      do throws(PackingError) {
        return .packed(firstPosition, bytes: try pack(firstPosition, isCancelled: isCancelled))
      } catch {
        return .notPacked(firstPosition, error)
      }
    }
  }

  /// Removes the files of a segment, the oldest that is left.
  ///
  /// The directory is synced before the next one can go, so that after any crash those that are left follow one another.
  ///
  /// - Throws: ``FileError``. What has gone by then is no obstacle the next time.
  public func remove(_ segment: TrimmedSegment) throws(FileError) {
    for path in segment.files { try directory.removeIfThere(path) }
    try directory.fileSystem.syncDirectory(directory.logPath)
  }

  /// Takes sessions out of a part of the state directory.
  ///
  /// - Throws: ``ReadError``. It can be tried again.
  public func forget(_ part: ForgetJob) throws(ReadError) -> ForgottenRecords {
    switch part {
    case .segment(let firstPosition, let scope):
      let forgetting = SegmentForgetting(
        directory: directory, options: options, scope: scope, firstPosition: firstPosition)
      return try forgetting.run()
    case .files(let paths):
      do throws(FileError) {
        for path in paths { try directory.removeIfThere(path) }
        try directory.fileSystem.syncDirectory(directory.logPath)
      } catch {
        throw .file(error)
      }
      return ForgottenRecords(count: 0, segmentBytes: nil)
    }
  }

  /// Packs a segment that is not the last one. One that is packed stays as it is, unless its index is bad.
  ///
  /// - Returns: how large it is then, in bytes; `nil` when it is gone.
  /// - Throws: ``PackingError``; then it stands as it did, but for ``PackingError/unsynced(bytes:_:)``.
  public func pack(
    _ firstPosition: Position, isCancelled: () -> Bool = { false }
  ) throws(PackingError) -> Int64? {
    let packing = SegmentPacking(directory: directory, options: options, firstPosition: firstPosition)
    return try packing.run(isCancelled: isCancelled)
  }
}
