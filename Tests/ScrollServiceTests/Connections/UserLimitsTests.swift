import Testing

@testable import ScrollService

@Suite struct UserLimitsTests {
  private let clock = HandClock()
  private let journal = JournalRecorder()

  private func makeLimits(_ configure: (inout Configuration) -> Void = { _ in }) -> UserLimits {
    var configuration = Configuration()
    configure(&configuration)
    return UserLimits(ConnectionLimits(configuration), clock: clock.service, journal: journal.journal)
  }

  @Test func aUserHasOneShareUntilThereIsNothingToRemember() {
    let users = makeLimits()
    let share = users.share(of: 1000)
    share.connections = 1
    #expect(users.share(of: 1000) === share)
    users.tick(clock.monotonic)
    #expect(users[1000] === share)
    share.connections = 0
    users.charge(1, to: share)
    users.tick(clock.monotonic)
    #expect(users[1000] === share, "a user who comes back must not find a full budget")
    clock.advance(seconds: 1)
    users.tick(clock.monotonic)
    #expect(users[1000] == nil)
  }

  @Test func aUserWithSuppressedRefusalsIsRemembered() {
    let users = makeLimits()
    let share = users.share(of: 1000)
    for _ in 0..<3 { users.logRefusal(.connection, of: share, .connectionRefused(of: 1000)) }
    #expect(journal.entries.map(\.kind) == [.connectionRefused])
    clock.advance(seconds: 59)
    users.tick(clock.monotonic)
    #expect(users[1000] === share)
    #expect(journal.entries.count == 1)
    clock.advance(seconds: 1)
    users.tick(clock.monotonic)
    #expect(journal.entries.map(\.kind) == [.connectionRefused, .refusalsSuppressed])
    #expect(journal.messages.last?.contains("2 connections refused") == true)
    clock.advance(seconds: 60)
    users.tick(clock.monotonic)
    #expect(users[1000] == nil)
  }

  @Test func oneUserIsThrottledAndRootIsNever() {
    let users = makeLimits { $0.maximumEventsPerSecond = 100 }
    let share = users.share(of: 1000)
    users.charge(99, to: share)
    #expect(!share.isThrottled && users.nextDue == nil)
    users.charge(1, to: share)
    users.charge(1, to: share)
    #expect(share.isThrottled)
    #expect(users.throttleCount == 1)
    #expect(journal.entries.map(\.kind) == [.throttled])
    // 1 event of debt and a hundredth of a second's worth.
    #expect(users.nextDue == clock.monotonic + 20_000)
    users.charge(1_000_000, to: users.share(of: 0))
    #expect(!users.share(of: 0).isThrottled)
  }

  @Test func waitingConnectionsResumeInTheirOrderOneAtATime() {
    let users = makeLimits { $0.maximumEventsPerSecond = 100 }
    let share = users.share(of: 1000)
    users.charge(100, to: share)
    share.waiting = [1, 2]
    clock.advance(seconds: 1)
    var resumed: [ConnectionID] = []
    // The first turn only renews the budget.
    users.resumeThrottled { resumed.append($0) }
    #expect(resumed == [])
    #expect(users.hasRenewedBudget)
    users.resumeThrottled { resumed.append($0) }
    #expect(resumed == [1])
    #expect(share.isThrottled)
    users.resumeThrottled { resumed.append($0) }
    #expect(resumed == [1, 2])
    #expect(!share.isThrottled && !users.hasRenewedBudget)
  }

  @Test func aResumedConnectionThatSpendsTheBudgetAgainKeepsTheOthersWaiting() {
    let users = makeLimits { $0.maximumEventsPerSecond = 100 }
    let share = users.share(of: 1000)
    users.charge(100, to: share)
    share.waiting = [1, 2, 3]
    clock.advance(seconds: 1)
    users.resumeThrottled { _ in }
    users.resumeThrottled { _ in users.charge(100, to: share) }
    #expect(share.waiting == [2, 3])
    #expect(!users.hasRenewedBudget)
    #expect(users.throttleCount == 1, "the user has been throttled all the time")
  }

  @Test func unfinishedBytesSlowAUserUntilTheirBudgetIsRenewed() {
    let users = makeLimits { $0.maximumBufferPerUser = 2000 }
    let share = users.share(of: 1000)
    users.chargeUnfinished(-5, to: share)
    users.chargeUnfinished(1000, to: share)
    users.chargeUnfinished(1, to: share)
    #expect(share.unfinished.isSpent)
    #expect(users.throttleCount == 1)
    #expect(journal.entries.map(\.kind) == [.incompleteMessagesThrottled])
    #expect(users.nextDue == clock.monotonic + 11_000)
    clock.monotonic += 11_000
    users.renewSlowed()
    #expect(!share.unfinished.isSpent)
    #expect(users.nextDue == nil)
  }
}
