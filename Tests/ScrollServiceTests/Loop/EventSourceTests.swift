import CSystemd
import Glibc
import Platform
import Testing

@testable import ScrollService

@Suite struct EventSourceTests {
  /// A loop of sd-event and a pair of sockets.
  private final class Scene {
    let event: OpaquePointer
    let near: Int32
    let far: Int32

    init() throws {
      var event: OpaquePointer?
      try check(sd_event_new(&event), "make an event loop")
      self.event = try #require(event)
      var pair: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
      (near, far) = (pair[0], pair[1])
    }

    deinit {
      close(near)
      close(far)
      sd_event_unref(event)
    }

    /// Handles the events that are due.
    ///
    /// - Returns: Whether there was one.
    func runOnce() -> Bool { sd_event_run(event, 0) > 0 }
  }

  @Test func aSourceGetsTheEventsOfItsInterestWhileItIsEnabled() throws {
    let scene = try Scene()
    var received: [UInt32] = []
    let source = try EventSource(scene.event, reading: scene.near) { received.append($0) }
    #expect(!scene.runOnce())
    write(scene.far, "x", 1)
    #expect(scene.runOnce())
    #expect(received == [EPOLLIN.rawValue])
    source.setInterest(EPOLLOUT.rawValue)
    #expect(scene.runOnce())
    #expect(received.last == EPOLLOUT.rawValue)
    source.setEnabled(false)
    #expect(!scene.runOnce())
    source.setInterest(EPOLLIN.rawValue)
    source.setEnabled(true)
    #expect(scene.runOnce())
    #expect(received.count == 3)
  }

  @Test func aHangUpIsAlwaysReported() throws {
    let scene = try Scene()
    var received: UInt32 = 0
    let source = try EventSource(scene.event, reading: scene.near) { received = $0 }
    source.setInterest(0)
    #expect(!scene.runOnce())
    // A peer that only ends its side has not hung up.
    shutdown(scene.far, Int32(SHUT_WR))
    #expect(!scene.runOnce())
    shutdown(scene.far, Int32(SHUT_RDWR))
    #expect(scene.runOnce())
    #expect(received & EPOLLHUP.rawValue != 0)
  }

  @Test func aSourceMayBeReleasedByItsOwnHandler() throws {
    let scene = try Scene()
    var source: EventSource?
    var calls = 0
    source = try EventSource(scene.event, reading: scene.near) { _ in
      calls += 1
      source = nil
    }
    write(scene.far, "x", 1)
    #expect(scene.runOnce())
    #expect(source == nil)
    #expect(!scene.runOnce())
    #expect(calls == 1)
  }

  @Test func aCancelledSourceIsNeverCalledAgain() throws {
    let scene = try Scene()
    var calls = 0
    let spare = dup(scene.near)
    let source = try EventSource(scene.event, reading: spare) { _ in calls += 1 }
    source.cancel()
    close(spare)
    write(scene.far, "x", 1)
    #expect(!scene.runOnce())
    source.setEnabled(false)
    source.cancel()
    #expect(calls == 0)
  }

  @Test func aTimerRepeats() throws {
    let scene = try Scene()
    var calls = 0
    let timer = try EventSource(scene.event, every: 1) { calls += 1 }
    while calls < 3 { #expect(sd_event_run(scene.event, .max) > 0) }
    timer.cancel()
    #expect(!scene.runOnce())
  }

  @Test func aSetTimerFiresOnceAndCanBeSetAgain() throws {
    let scene = try Scene()
    var calls = 0
    let timer = try EventSource(scene.event, timer: { calls += 1 })
    #expect(!scene.runOnce())
    for expected in 1...3 {
      // A time in the past.
      timer.setTime(UInt64(expected))
      #expect(scene.runOnce())
      #expect(calls == expected)
      #expect(!scene.runOnce())
    }
    timer.cancel()
  }

  @Test func anUnwatchableDescriptorIsAnError() throws {
    let scene = try Scene()
    #expect(throws: SystemError.self) { try EventSource(scene.event, reading: 1_000_000) { _ in } }
  }
}
