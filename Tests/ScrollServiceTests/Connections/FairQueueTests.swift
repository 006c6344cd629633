import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct FairQueueTests {
  @Test func usersTakeTurnsAndKeepTheirOrder() {
    var queue = FairQueue<String>()
    for item in ["a1", "a2", "a3"] { queue.append(item, of: 1) }
    queue.append("b1", of: 2)
    #expect(queue.popFirst() == "a1")
    queue.append("b2", of: 2)
    queue.append("c1", of: 3)
    #expect(queue.count == 5)
    #expect((0..<5).map { _ in queue.popFirst() } == ["b1", "a2", "c1", "b2", "a3"])
    #expect(queue.isEmpty)
    #expect(queue.popFirst() == nil)
  }

  @Test func betweenTwoItemsOfAUserEveryWaitingUserHasOne() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    var queue = FairQueue<(user: UInt32, number: Int)>()
    var added: [UInt32: Int] = [:]
    var taken: [UInt32: Int] = [:]
    // For each user who waits, those who had a turn since.
    var since: [UInt32: Set<UInt32>] = [:]
    for _ in 0..<20_000 {
      if random.happens(0.5) {
        let user = UInt32(random.whole(1...6))
        if added[user, default: 0] == taken[user, default: 0] { since[user] = [] }
        queue.append((user, added[user, default: 0]), of: user)
        added[user, default: 0] += 1
      } else if let item = queue.popFirst() {
        #expect(item.number == taken[item.user, default: 0])
        taken[item.user, default: 0] += 1
        for user in since.keys where user != item.user {
          #expect(
            since[user]?.insert(item.user).inserted == true, "user \(user) waits while \(item.user) has two turns")
        }
        since[item.user] = added[item.user] == taken[item.user] ? nil : []
      } else {
        #expect(added == taken)
      }
      #expect(queue.count == added.values.reduce(0, +) - taken.values.reduce(0, +))
    }
  }

  @Test func aFifoKeepsItsOrder() {
    var fifo = Fifo([0])
    var next = 0
    for number in 1..<1000 {
      fifo.append(number)
      if number % 3 != 0 {
        #expect(fifo.first == next)
        #expect(fifo.popFirst() == next)
        next += 1
      }
    }
    #expect(fifo.count == 1000 - next)
  }
}
