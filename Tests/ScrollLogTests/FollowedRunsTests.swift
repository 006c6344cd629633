import ScrollModel
import Testing

@testable import ScrollLog

/// Which positions of a relay a log takes for its own when their records are gone.
@Suite struct FollowedRunsTests {
  private static func id(_ number: UInt64) -> SessionID { SessionID(high: 7, low: number) }

  /// Runs 1, 2, … that begin after the positions 100, 200, … at the times 1000, 2000, ….
  private static func runs(_ count: UInt64) -> FollowedRuns {
    var runs = FollowedRuns()
    for number in 0..<count {
      runs.add(FollowedRuns.Run(id: id(number + 1), after: Int64(number + 1) * 100, began: Int64(number + 1) * 1000))
    }
    return runs
  }

  private static func place(
    _ position: Position, generation: Generation = 50, received: Int64? = nil, run: UInt64
  ) -> FollowedRuns.Place {
    FollowedRuns.Place(position: position, generation: generation, received: received, run: id(run))
  }

  private static func generations(_ later: (generation: Generation, after: Position)...) -> GenerationHistory {
    var generations = GenerationHistory(first: 50)
    for entry in later {
      generations.entries.append(GenerationHistory.Entry(generation: entry.generation, after: entry.after))
    }
    return generations
  }

  @Test func theRunThatGoesOnMayHaveSentAnything() {
    #expect(Self.runs(2).include(Self.place(5000, received: 9000, run: 2), in: Self.generations()))
    #expect(Self.runs(2).include(Self.place(5000, run: 2), in: Self.generations((51, 300))))
  }

  @Test(
    arguments: [(200, 2000, true), (200, 2001, false), (201, 2000, false), (150, nil, true), (201, nil, false)]
      as [(Position, Int64?, Bool)])
  func anEarlierRunEndsWhereTheNextOneBegins(position: Position, received: Int64?, isIncluded: Bool) {
    #expect(
      Self.runs(2).include(Self.place(position, received: received, run: 1), in: Self.generations()) == isIncluded)
  }

  @Test(arguments: [(1999, true), (2000, true), (2001, false)] as [(Int64, Bool)])
  func aCrashTakesBackWhatWasReceivedBeforeTheNextRun(received: Int64, isIncluded: Bool) {
    // The position is beyond the one at which the next run began.
    #expect(
      Self.runs(2).include(Self.place(900, received: received, run: 1), in: Self.generations((51, 200)))
        == isIncluded)
  }

  @Test func aRunThatOnlyAnotherCopyHadIsNotKnownWhateverCrashesAndRetentionDid() {
    for runs in [FollowedRuns(), Self.runs(3)] {
      for generations in [Self.generations(), Self.generations((51, 60)), Self.generations((51, 60), (52, 90))] {
        #expect(!runs.include(Self.place(120, received: 1500, run: 9), in: generations))
        #expect(!runs.include(Self.place(120, run: 9), in: generations))
        var strange = Self.place(120, received: 1500, run: 9)
        strange.run = nil
        #expect(!runs.include(strange, in: generations))
      }
    }
  }

  /// The backup has a generation of its own, and the restored log begins another one.
  @Test(arguments: [(3000, true), (4000, true), (4001, false)] as [(Int64, Bool)])
  func aRestoredBackupContinuesWhatWasReceivedBeforeTheRestore(received: Int64, isIncluded: Bool) {
    let generations = Self.generations((2500, 90), (4000, 90))
    for runs in [FollowedRuns(), Self.runs(1)] {
      #expect(runs.include(Self.place(120, received: received, run: 9), in: generations) == isIncluded)
    }
    #expect(!FollowedRuns().include(Self.place(120, run: 9), in: generations))
  }

  @Test func theLatestRunsAreKeptAndTheFileHasThem() throws {
    var runs = FollowedRuns()
    for number in 0..<5000 {
      runs.add(FollowedRuns.Run(id: Self.id(UInt64(number)), after: Int64(number), began: Int64(number)))
    }
    #expect(runs.runs.count == FollowedRuns.limit && runs.runs.last?.id == Self.id(4999))
    #expect(FollowedRuns(text: runs.text) == runs && FollowedRuns(text: "") == FollowedRuns())
    for bad in ["x", "\(Self.id(1)) 1", "\(Self.id(1)) 1 2 3", "\(Self.id(1)) a 2", "\u{0}\n"] {
      #expect(FollowedRuns(text: bad) == nil, "\(bad)")
    }
  }
}
