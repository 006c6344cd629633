// What is done to segments that are no longer written to: removing, forgetting, packing.

import ScrollLog
import ScrollModel

extension Service {
  /// What the upkeep thread is to do next; `nil` while it is busy or there is nothing to do.
  ///
  /// One job is under way at a time: each puts a new file in the place of one that it has read.
  public func nextUpkeep() -> UpkeepJob? {
    guard let job = pendingUpkeep else { return nil }
    upkeep = job
    return job
  }

  /// Whether `nextUpkeep` has something to do.
  var hasUpkeep: Bool { pendingUpkeep != nil }

  /// Whether a packing is under way while somebody waits for something to be forgotten or removed.
  ///
  /// What retention removes by itself waits: it comes with each new segment, and on a busy machine no packing would ever end.
  public var isPackingInTheWay: Bool {
    guard case .pack = upkeep else { return false }
    return nextForgetting != nil || nextRemoval != nil && !vacuumAnswers.isEmpty
  }

  private var pendingUpkeep: UpkeepJob? {
    guard upkeep == nil else { return nil }
    if case .failed = commit { return nil }
    if let segment = nextRemoval { return .remove(segment) }
    if let part = nextForgetting { return .forget(part) }
    return nextPacking.map { .pack($0) }
  }

  /// The next segment to pack, the oldest first; `nil` when there is none to pack now.
  private var nextPacking: Position? {
    guard configuration.compress, !isStopping, !isPackingPut else { return nil }
    return segments.nextUnpacked(except: unpackable)
  }

  /// Takes the result of a job.
  public func complete(_ result: UpkeepResult) {
    upkeep = nil
    switch result {
    case .removed(let segment): didRemove(segment)
    case .notRemoved(_, let error): didNotRemove(error)
    case .forgotten(let part, let found): didForget(part, found)
    case .notForgotten(let job, let error): didNotForget(job, error)
    case .packed(let first, let bytes): didPack(first, bytes)
    case .notPacked(let first, let error): didNotPack(first, error)
    }
  }

  private func didPack(_ first: Position, _ bytes: Int64?) {
    isShortOfRoomToPack = false
    // Retention was faster.
    guard let bytes else { return }
    segments.notePacked(first, bytes: bytes)
    metrics.segmentsPacked += 1
  }

  private func didNotPack(_ first: Position, _ error: PackingError) {
    if error == .cancelled { return }
    guard error.isNoSpace else {
      if case .unsynced(let bytes, _) = error {
        journal.log(.packedUnsynced(error))
        return didPack(first, bytes)
      }
      // It would fail again; a next start tries it once more.
      unpackable.insert(first)
      journal.log(.notPacked(error))
      return
    }
    isPackingPut = true
    if !isShortOfRoomToPack { journal.log(.packingPut(error)) }
    isShortOfRoomToPack = true
  }
}
