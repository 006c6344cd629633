import ScrollModel

/// Upkeep of sealed segments: removes, rewrites and packs them. Its methods wait for the disk, so ``UpkeepThread`` runs it on
/// a thread of its own.
///
/// Jobs that run at the same time must be about different segments, since each replaces files that it has read, and those that
/// forget for a person must run alone. The last segment belongs to ``SegmentWriter``.
public struct Upkeep: Sendable {
  let directory: LogDirectory
  let options: LogOptions

  /// Does a job.
  ///
  /// - Parameter isCancelled: called at each block that is packed; packing stops once it returns true.
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
    case .measure(let firstPosition):
      do throws(ReadError) {
        return .measured(firstPosition, try measure(firstPosition))
      } catch {
        return .notMeasured(firstPosition, error)
      }
    case .pack(let firstPosition):
      do throws(PackingError) {
        return .packed(firstPosition, bytes: try pack(firstPosition, isCancelled: isCancelled))
      } catch {
        return .notPacked(firstPosition, error)
      }
    }
  }

  /// Deletes the files of the oldest segment.
  ///
  /// Syncs the directory before the next segment can be deleted, so that the rest is consecutive after any crash.
  ///
  /// - Throws: ``FileError``. The next attempt ignores files that are already gone.
  public func remove(_ segment: TrimmedSegment) throws(FileError) {
    for path in segment.files { try directory.removeIfThere(path) }
    try directory.fileSystem.syncDirectory(directory.logPath)
  }

  /// Does a step of forgetting sessions.
  ///
  /// - Throws: ``ReadError``. The job can be repeated.
  public func forget(_ part: ForgetJob) throws(ReadError) -> ForgottenRecords {
    switch part {
    case .search(let firstPosition, let scope, let last):
      let search = ForgettingSearch(
        directory: directory, scope: scope, firstPosition: firstPosition, lastPosition: last)
      return ForgottenRecords(count: try search.run() ? 1 : 0, segmentBytes: nil)
    case .record(let scope, let received):
      return ForgottenRecords(count: 0, segmentBytes: nil, list: try record(scope, received))
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

  /// Finds out whose records a sealed segment holds.
  ///
  /// - Throws: ``ReadError``.
  public func measure(_ firstPosition: Position) throws(ReadError) -> SegmentUse {
    try SegmentMeasuring(directory: directory, firstPosition: firstPosition).run()
  }

  /// Adds sessions to the list of what was forgotten.
  ///
  /// - Returns: The whole list; `nil` if the sessions don't belong on it.
  private func record(_ scope: ForgetScope, _ received: Int64) throws(ReadError) -> ForgottenList? {
    let files = ForgottenFiles(directory)
    var addition = ForgottenList()
    switch scope {
    case .session(let id): addition.add(id, at: received)
    case .client(let name, let user, let except):
      let key = try files.makeKeys().current
      addition.add(
        ForgottenList.Client(key: key.id, hash: key.hash(of: name), user: user),
        ForgottenList.Extent(received: received, except: except))
    case .listed(let selection, _): addition = selection.list
    // Nobody asked to forget what retention removes.
    case .share: return nil
    }
    return try files.add(addition)
  }

  /// Packs a sealed segment. A packed segment does not change unless its index is bad.
  ///
  /// - Returns: its new size, in bytes; `nil` when the segment no longer exists.
  /// - Throws: ``PackingError``. The segment is then unchanged, except after ``PackingError/unsynced(bytes:_:)``.
  public func pack(
    _ firstPosition: Position, isCancelled: () -> Bool = { false }
  ) throws(PackingError) -> Int64? {
    let packing = SegmentPacking(directory: directory, options: options, firstPosition: firstPosition)
    return try packing.run(isCancelled: isCancelled)
  }
}
