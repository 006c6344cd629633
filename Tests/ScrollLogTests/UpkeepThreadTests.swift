import ScrollModel
import Synchronization
import Testing

@testable import ScrollLog

/// Upkeep on a thread of its own.
@Suite struct UpkeepThreadTests {
  @Test func jobsAreDoneInOrderAndHaveResults() async throws {
    let scene = try PackedScene(isPacked: false, blocks: 6)
    let (woken, wake) = AsyncStream<Void>.makeStream()
    let thread = try UpkeepThread(scene.log.upkeep, isNice: true) { wake.yield() }
    for first in scene.sealed { thread.submit(.pack(first)) }
    var results: [UpkeepResult] = []
    for await _ in woken {
      results += thread.takeResults()
      if results.count == scene.sealed.count { break }
    }
    for (result, first) in zip(results, scene.sealed) {
      guard case .packed(first, bytes: .some) = result else {
        Issue.record("\(result)")
        continue
      }
    }
    thread.stop()
    thread.join()
    #expect(try scene.verify().map(\.isPacked) == [true, true, true, false])
  }

  @Test func aCancelledPackingChangesNothing() async throws {
    let scene = try PackedScene(isPacked: false, blocks: 6)
    let (woken, wake) = AsyncStream<Void>.makeStream()
    let thread = try UpkeepThread(scene.log.upkeep, isNice: true) { wake.yield() }
    thread.cancelPacking()
    thread.submit(.pack(1))
    for await _ in woken { break }
    #expect(thread.takeResults() == [.notPacked(1, .cancelled)])
    thread.allowPacking()
    thread.submit(.pack(1))
    for await _ in woken { break }
    guard case .packed(1, bytes: .some) = thread.takeResults().first else {
      Issue.record("it is not packed once it may be")
      return
    }
    thread.stop()
    thread.join()
  }
}
