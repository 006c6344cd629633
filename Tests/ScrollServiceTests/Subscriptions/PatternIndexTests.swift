import ScrollTesting
import Testing

@testable import ScrollService

@Suite struct PatternIndexTests {
  private final class Subscriber {
    let glob: Glob

    init(_ patterns: [String]) { glob = Glob(patterns) }
  }

  /// The subscribers that the index finds for a name.
  private func found(_ index: PatternIndex<Subscriber>, _ name: String) -> Set<ObjectIdentifier> {
    let scanned = ScannedName(name)
    return index.candidates(for: scanned).joined().reduce(into: []) { found, entry in
      if entry.matches(scanned) { found.formUnion(entry.subscribers.keys) }
    }
  }

  @Test func theIndexFindsWhomAnUnindexedMatchFinds() {
    var random = SeededRandom(seed: SeededRandom.seedOfRun)
    let pieces = ["a", "b", "*", "?", "[ab]", "feed/", "\\*", "é", "[", "a-very-long-prefix-"]
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<random.whole(count)).map { _ in pieces[random.whole(0...pieces.count - 1)] }.joined()
    }
    var index = PatternIndex<Subscriber>()
    var subscribers: [Subscriber] = []
    for _ in 0..<3000 {
      if random.happens(0.5), !subscribers.isEmpty {
        let subscriber = subscribers.remove(at: random.whole(0...subscribers.count - 1))
        index.remove(subscriber, subscriber.glob)
      } else {
        let subscriber = Subscriber((0..<random.whole(0...3)).map { _ in text(0...4) })
        subscribers.append(subscriber)
        index.add(subscriber, subscriber.glob)
      }
      let name = text(0...5)
      let expected = subscribers.filter { $0.glob.matches(name) }.map { ObjectIdentifier($0) }
      #expect(found(index, name) == Set(expected), "\(name)")
    }
    for subscriber in subscribers { index.remove(subscriber, subscriber.glob) }
    #expect(index.isEmpty)
    #expect(index.candidates(for: ScannedName("a")).isEmpty)
  }

  /// An Open tried the patterns of all subscriptions.
  @Test func aNameIsMatchedWithFewOfManyPatterns() {
    var index = PatternIndex<Subscriber>()
    let subscribers = (0..<1000).map { Subscriber(["app-\($0)/*", "name-\($0)", "*common*"]) }
    for subscriber in subscribers { index.add(subscriber, subscriber.glob) }
    func tried(_ name: String) -> Int { index.candidates(for: ScannedName(name)).reduce(0) { $0 + $1.count } }
    #expect(tried("app-7/window") == 2)
    #expect(tried("name-7") == 2)
    #expect(tried("") == 1)
  }
}
